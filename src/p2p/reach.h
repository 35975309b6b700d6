#ifndef SPV_P2P_REACH_H
#define SPV_P2P_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/machine.h>

/*
 * Where addresses lie: whether all of the internet can reach them, and which
 * are likely to be in one hand.
 */

/** IPv4 or IPv6, assigned to be reached from everywhere, and with a port. No
 * tunnels either: one IPv4 address has many of them. */
bool spv__reach_is_public(const spv_netaddr *addr);

/** Whether the two are one host, whatever the port. */
bool spv__reach_same_host(const spv_netaddr *a, const spv_netaddr *b);

/**
 * Addresses with the same group are taken to be in one hand: an IPv4 /16, an
 * IPv6 /32. What is not public is a group by itself, since only the user can
 * have named it. Never 0.
 */
uint64_t spv__reach_group(const spv_netaddr *addr);

#endif
