from ipaddress import ip_address, ip_network

import pytest

from messages_app.core.deliveries.ssrf_guard import (
    RefusedAddress,
    look_up_host,
    may_reach,
    refuse_internal_address,
)

INSIDE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "3fff::1",
    "64:ff9b:1::1",
    "5f00::1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.0.0.9",
    "2001:1::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:20::1",
    "2001:30::1",
    "2002:c058:6301::1",
    "2620:4f:8000::1",
    "100::1",
    "100:0:0:1::1",
]
METADATA = [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
]
# 127.0.0.1 and 10.0.0.1 by other names.
OTHER_NAMES = [
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2001:0:a00:1::1",
]
OUTSIDE = [
    *("8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"),
    # next to special networks
    *("192.31.195.255", "192.31.197.0", "192.88.98.255", "192.88.100.0", "192.175.47.255", "2001:200::1"),
]


class TestMayReach:
    @pytest.mark.parametrize("address", INSIDE + METADATA + OTHER_NAMES)
    def test_is_false_for_addresses_that_are_not_on_the_internet(self, address):
        assert not may_reach(ip_address(address))

    @pytest.mark.parametrize("address", OUTSIDE)
    def test_is_true_for_addresses_on_the_internet(self, address):
        assert may_reach(ip_address(address))

    @pytest.mark.parametrize(
        ("network", "inside", "beside"),
        [
            ("10.1.0.0/16", "10.1.255.255", "10.2.0.0"),
            ("10.1.0.0/16", "::ffff:10.1.0.0", "::ffff:10.0.255.255"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("fd00:7::/64", "fd00:7::ffff", "fd00:7:0:1::"),
            ("169.254.169.254", "169.254.169.254", "169.254.169.253"),
        ],
    )
    def test_is_true_only_for_the_networks_that_the_settings_name(self, settings, network, inside, beside):
        settings.WEBHOOK_NETWORKS = [ip_network(network)]
        assert may_reach(ip_address(inside))
        assert not may_reach(ip_address(beside))


class TestRefuseInternalAddress:
    def test_accepts_names_and_addresses_on_the_internet(self):
        refuse_internal_address("hooks.example.org")
        refuse_internal_address("8.8.8.8")

    def test_names_the_setting(self):
        with pytest.raises(RefusedAddress, match=r"::1 is not on the internet.*HUBCONSOLE_WEBHOOK_NETWORKS"):
            refuse_internal_address("::1")


class TestLookUpHost:
    @pytest.mark.parametrize("text", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"])
    def test_reads_an_address_however_it_is_written(self, text):
        assert look_up_host(text, 80) == ["127.0.0.1"]

    def test_returns_each_address_once(self):
        found = look_up_host("localhost", 80)
        assert "127.0.0.1" in found
        assert len(found) == len(set(found))
