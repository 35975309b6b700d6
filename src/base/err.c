#include <spv/err.h>

const char *spv_err_text(spv_err err)
{
    switch (err) {
#define X(name, code, text) \
    case SPV_##name:        \
        return text;
        SPV_ERR_MAP(X)
#undef X
    }
    return "unknown error";
}

const char *spv_err_name(spv_err err)
{
    switch (err) {
#define X(name, code, text) \
    case SPV_##name:        \
        return #name;
        SPV_ERR_MAP(X)
#undef X
    }
    return "UNKNOWN";
}
