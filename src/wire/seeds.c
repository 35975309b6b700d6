#include "wire/seeds.h"

#include <assert.h>

/*
 * Facts, as the reference implementation publishes them: the names are those of
 * its src/kernel/chainparams.cpp; the nodes a few of its
 * contrib/seeds/nodes_*.txt, no two of a network in one /16 (IPv6: /32). For
 * testnet3 its list is empty.
 */
static const char *const main_hosts[] = {
    "seed.bitcoin.sipa.be",          "dnsseed.bluematt.me",
    "seed.bitcoin.jonasschnelli.ch", "seed.btc.petertodd.net",
    "seed.bitcoin.sprovoost.nl",     "dnsseed.emzy.de",
    "seed.bitcoin.wiz.biz",          "seed.mainnet.achownodes.xyz",
};
static const char *const testnet3_hosts[] = {
    "testnet-seed.bitcoin.jonasschnelli.ch", "seed.tbtc.petertodd.net",
    "seed.testnet.bitcoin.sprovoost.nl",     "testnet-seed.bluematt.me",
    "seed.testnet.achownodes.xyz",
};
static const char *const testnet4_hosts[] = {
    "seed.testnet4.bitcoin.sprovoost.nl",
    "seed.testnet4.wiz.biz",
};
static const char *const signet_hosts[] = {
    "seed.signet.bitcoin.sprovoost.nl",
    "seed.signet.achownodes.xyz",
};

static const char *const main_nodes[] = {
    "3.9.188.44",           "5.2.23.226",
    "5.128.87.126",         "8.209.70.77",
    "15.235.82.178",        "18.183.87.240",
    "23.134.94.82",         "35.208.62.130",
    "37.157.192.94",        "38.102.85.36",
    "43.225.143.17",        "45.129.181.107",
    "46.28.205.68",         "51.154.26.11",
    "58.229.105.38",        "62.210.207.63",
    "64.185.225.26",        "66.35.84.30",
    "69.196.152.33",        "74.118.138.124",
    "77.223.120.139",       "80.64.211.102",
    "83.136.232.21",        "85.195.83.50",
    "86.111.48.71",         "88.99.71.213",
    "91.202.4.65",          "93.115.26.6",
    "95.211.152.100",       "103.99.169.110",
    "104.128.64.58",        "109.235.247.122",
    "128.2.12.38",          "129.10.85.103",
    "131.153.232.199",      "133.5.165.199",
    "142.202.48.124",       "147.32.95.62",
    "154.26.154.73",        "160.80.12.16",
    "162.219.38.94",        "167.88.11.203",
    "172.93.106.85",        "176.74.136.237",
    "185.70.43.193",        "188.138.112.60",
    "190.64.134.52",        "193.84.116.22",
    "194.14.246.9",         "198.154.93.110",
    "203.11.72.118",        "206.125.169.164",
    "209.177.138.245",      "212.51.129.60",
    "213.174.156.81",       "217.20.131.64",
    "2001:1bc0:c1::2000",   "2400:6180:0:d1::14e:b001",
    "2401:b140:1::100:220", "2604:a00:3:2098:216:3eff:fe28:c447",
    "2607:5300:60:314c::1", "2620:6e:a000:1:42:42:42:42",
    "2a00:7c80:0:4e::2",    "2a01:4f8:171:16af::2",
};
static const char *const testnet4_nodes[] = {
    "2.59.134.244",          "5.182.4.106",          "31.220.30.248",
    "35.201.167.154",        "38.102.86.40",         "45.41.204.8",
    "51.158.61.33",          "54.76.27.166",         "62.84.190.200",
    "65.108.143.22",         "69.26.129.172",        "80.253.94.252",
    "89.58.9.219",           "95.141.35.117",        "103.99.169.203",
    "104.237.131.138",       "109.123.236.96",       "144.172.110.246",
    "148.51.196.40",         "158.69.118.2",         "162.220.166.82",
    "168.119.11.220",        "193.30.123.70",        "208.68.4.50",
    "2602:f480:ac:c010::50", "2605:3380:422e:1::50", "2a01:4f8:121:4072::2",
    "2a02:29e0:1:420::64",
};
static const char *const signet_nodes[] = {
    "34.135.189.101",        "37.120.177.204",      "38.83.170.18",
    "45.94.168.5",           "49.13.117.253",       "51.79.229.113",
    "62.169.29.181",         "69.62.125.171",       "89.58.37.164",
    "95.141.35.117",         "136.144.237.250",     "144.24.238.157",
    "148.51.196.40",         "152.42.244.27",       "153.126.143.201",
    "172.105.179.233",       "176.9.62.27",         "178.128.221.177",
    "185.9.0.189",           "188.165.201.163",     "195.137.245.93",
    "208.68.4.50",           "217.216.75.182",      "2001:41d0:304:400::d0a",
    "2602:f480:ac:c010::50", "2a01:4f9:3a:1070::2", "2a02:29e0:1:420::64",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const spv_seeds seeds[SPV_CHAIN_COUNT] = {
    [SPV_MAIN] = {.hosts = main_hosts,
                  .n_hosts = COUNT(main_hosts),
                  .nodes = main_nodes,
                  .n_nodes = COUNT(main_nodes)},
    [SPV_TESTNET3] = {.hosts = testnet3_hosts,
                      .n_hosts = COUNT(testnet3_hosts)},
    [SPV_TESTNET4] = {.hosts = testnet4_hosts,
                      .n_hosts = COUNT(testnet4_hosts),
                      .nodes = testnet4_nodes,
                      .n_nodes = COUNT(testnet4_nodes)},
    [SPV_SIGNET] = {.hosts = signet_hosts,
                    .n_hosts = COUNT(signet_hosts),
                    .nodes = signet_nodes,
                    .n_nodes = COUNT(signet_nodes)},
};

const spv_seeds *spv__seeds_get(spv_chain chain)
{
    assert((size_t)chain < SPV_CHAIN_COUNT);
    return &seeds[chain];
}
