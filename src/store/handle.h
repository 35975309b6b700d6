#ifndef SPV_STORE_HANDLE_H
#define SPV_STORE_HANDLE_H

#include <sqlite3.h>

#include "store/db.h"

/* What db.c and sql.c share: the door to SQLite. */

/** More statements than any one file's tables need. */
#define SPV__STATEMENTS_MAX 32

typedef struct spv_statement {
    const char *sql;
    sqlite3_stmt *stmt;
} spv_statement;

struct spv_db {
    sqlite3 *sqlite;
    const spv_db_schema *schema;
    spv_detail *why; /**< borrowed from the opener; may be NULL */
    spv_err failed;  /**< first failed write of the open transaction */
    spv_path path;
    spv_statement statements[SPV__STATEMENTS_MAX];
    size_t n_statements;
};

/** Turn SQLite's answer into ours, and tell why. SQLITE_OK gives SPV_OK. */
spv_err spv__db_result(spv_db *db, int rc);

/** Run statements without arguments and rows, once. */
spv_err spv__db_exec(spv_db *db, const char *sql);

/** The one number a pragma or another question answers with. */
spv_err spv__db_ask(spv_db *db, const char *sql, int64_t *number);

#endif
