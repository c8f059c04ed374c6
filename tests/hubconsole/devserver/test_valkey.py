import pytest
import redis

from messages_app.core.embedded_servers import broker_url
from tests.support.servers import Servers


class TestUrl:
    def test_opens_the_broker_only_with_its_password(self, servers: Servers):
        url = broker_url(servers.home)
        assert redis.Redis.from_url(url).ping()

        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(url.replace("redis://:", "redis://:x")).ping()
