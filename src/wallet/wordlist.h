#ifndef SPV_WALLET_WORDLIST_H
#define SPV_WALLET_WORDLIST_H

#include <stddef.h>

/** Words of BIP 39's English list, and the longest with its zero. */
#define SPV__WORDLIST_LEN 2048
#define SPV__WORD_TEXT    9

/** The words by their number. Sorted, so that they can be searched. */
extern const char spv__wordlist[SPV__WORDLIST_LEN][SPV__WORD_TEXT];

/** Number of the word in text[0..len), or -1 when it is not in the list. */
int spv__wordlist_find(const char *text, size_t len);

#endif
