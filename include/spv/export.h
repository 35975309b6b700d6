#ifndef SPV_EXPORT_H
#define SPV_EXPORT_H

#if defined(__GNUC__)
#    define SPV_API      __attribute__((visibility("default")))
#    define SPV_MUST_USE __attribute__((warn_unused_result))
#else
#    define SPV_API
#    define SPV_MUST_USE
#endif

#endif
