/*
 * Sends frames of p4sock's two types to a host, as fast as it can, until its input ends:
 *
 *   flood INTERFACE MAC SEED   prints FLOODS when it has begun, and SENT with a count at the end
 *
 * Half of them are random bytes behind the header; the others look like data and control frames of a connection that may well be there.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define DATA 0x0814
#define CONTROL 0x0816
#define LONGEST 1514u
#define BEGUN 1000u

static uint64_t state;

static uint64_t next(void) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = state;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint16_t below(unsigned most) {
    return (uint16_t)(next() % most);
}

static int failed(const char *what) {
    printf("FAILED %s: %s\n", what, strerror(errno));
    return 1;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    state = strtoull(words[3], NULL, 10);
    int packets = socket(AF_PACKET, SOCK_RAW, 0);
    struct sockaddr_ll where = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(words[1])};
    if (packets < 0 || bind(packets, (struct sockaddr *)&where, sizeof where) != 0) return failed(words[1]);
    unsigned char frame[LONGEST + 7];
    struct ether_header *ethernet = (struct ether_header *)frame;
    uint16_t *said = (uint16_t *)(frame + sizeof *ethernet);
    memcpy(ethernet->ether_dhost, ether_aton(words[2]), ETH_ALEN);
    memset(ethernet->ether_shost, 0x02, ETH_ALEN);
    struct pollfd input = {.fd = 0, .events = POLLIN};
    uint64_t sent = 0;
    while (sent % 256 != 0 || poll(&input, 1, 0) == 0) {
        size_t bytes = 60 + below(LONGEST - 60 + 1);
        for (size_t at = sizeof *ethernet; at < bytes; at += sizeof(uint64_t)) {
            uint64_t word = next();
            memcpy(frame + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
        }
        int data = below(4) != 0;
        ethernet->ether_type = htons(data ? DATA : CONTROL);
        if (below(2) == 0) {
            /* Whichever number a connection has, its turn comes; fragments begin at 30000. */
            uint16_t index = below(8192), sequence = (uint16_t)(30000 + below(4096));
            if (data) {
                said[0] = index;
                said[1] = said[2] = sequence;
                said[3] = (uint16_t)(sequence + 100);
                /* The header, and room for a seal. */
                said[4] = (uint16_t)(bytes - sizeof *ethernet - 20 - 8);
                said[5] = below(2);
            } else {
                static const uint16_t TYPES[] = {0, 1, 3};
                said[0] = TYPES[below(3)];
                said[1] = 0;
                said[2] = index;
                said[3] = sequence;
                said[6] = 0;
            }
        }
        if (send(packets, frame, bytes, 0) < 0 && errno != ENOBUFS && errno != EINTR) return failed("send");
        if (++sent == BEGUN) {
            puts("FLOODS");
            fflush(stdout);
        }
    }
    printf("SENT %llu\n", (unsigned long long)sent);
    return 0;
}
