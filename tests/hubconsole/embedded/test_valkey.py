import pytest
import redis

from hubconsole.embedded import valkey
from tests.support.servers import Servers


class TestUrl:
    def test_opens_the_broker_only_with_its_password(self, servers: Servers):
        url = valkey.url(servers.home)
        assert redis.Redis.from_url(url).ping()

        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(url.replace("redis://:", "redis://:x")).ping()
