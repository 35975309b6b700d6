#include <stdbool.h>
#include <string.h>

#include "base/digest.h"
#include "wallet/mnemonic.h"

/*
 * Normalisation form KD for the scripts that passphrases are mostly in.
 *
 * A row is a combining mark, its canonical class, and pairs: a letter, then
 * that letter with the mark. A letter with two marks stands in a row with its
 * letter with one, so decomposing is repeated until nothing changes.
 */
/* clang-format off */
static const struct {
    uint32_t mark;
    int order;
    const char *pairs;
} marks[] = {
    /* grave accent */
    {0x0300, 230,
     "AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍеѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêềÔỒôồ"
     "ƠỜơờƯỪưừYỲyỳ"},
    /* acute accent */
    {0x0301, 230,
     "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻÆǼæǽ"
     "ØǾøǿ¨΅ΑΆΕΈΗΉΙΊΟΌΥΎΩΏϊΐαάεέηήιίϋΰοόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗÏḮïḯKḰkḱ"
     "MḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮăắÊẾêếÔỐôốƠỚơớƯỨưứ"},
    /* circumflex accent */
    {0x0302, 230,
     "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệỌỘọộ"},
    /* tilde */
    {0x0303, 230,
     "AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵEẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ"},
    /* macron */
    {0x0304, 230,
     "AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣУӮуӯ"
     "GḠgḡḶḸḷḹṚṜṛṝ"},
    /* breve */
    {0x0306, 230,
     "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуўЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặ"},
    /* dot above */
    {0x0307, 230,
     "CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊdḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠsṡŚṤ"
     "śṥŠṦšṧṢṨṣṩTṪtṫWẆwẇXẊxẋYẎyẏſẛ"},
    /* diaeresis */
    {0x0308, 230,
     "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤиӥОӦ"
     "оӧӨӪөӫЭӬэӭУӰуӱЧӴчӵЫӸыӹHḦhḧÕṎõṏŪṺūṻWẄwẅXẌxẍtẗ"},
    /* hook above */
    {0x0309, 230,
     "AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổƠỞơởUỦuủƯỬưửYỶyỷ"},
    /* ring above */
    {0x030a, 230,
     "AÅaåUŮuůwẘyẙ"},
    /* double acute accent */
    {0x030b, 230,
     "OŐoőUŰuűУӲуӳ"},
    /* caron */
    {0x030c, 230,
     "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧKǨkǩ"
     "ƷǮʒǯjǰHȞhȟ"},
    /* double grave accent */
    {0x030f, 230,
     "AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ"},
    /* inverted breve */
    {0x0311, 230,
     "AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    /* horn */
    {0x031b, 216,
     "OƠoơUƯuư"},
    /* dot below */
    {0x0323, 220,
     "BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛSṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹIỊiị"
     "OỌoọƠỢơợUỤuụƯỰưựYỴyỵ"},
    /* diaeresis below */
    {0x0324, 220,
     "UṲuṳ"},
    /* ring below */
    {0x0325, 220,
     "AḀaḁ"},
    /* comma below */
    {0x0326, 220,
     "SȘsșTȚtț"},
    /* cedilla */
    {0x0327, 202,
     "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩDḐdḑHḨhḩ"},
    /* ogonek */
    {0x0328, 202,
     "AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
    /* circumflex accent below */
    {0x032d, 220,
     "DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ"},
    /* breve below */
    {0x032e, 220,
     "HḪhḫ"},
    /* tilde below */
    {0x0330, 220,
     "EḚeḛIḬiḭUṴuṵ"},
    /* macron below */
    {0x0331, 220,
     "BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕhẖ"},
};

static const struct {
    uint32_t code;
    const char *spelled;
} spellings[] = {
    {0x00a0, " "}, {0x00a8, " \314\210"}, {0x00aa, "a"}, {0x00af, " \314\204"},
    {0x00b2, "2"}, {0x00b3, "3"}, {0x00b4, " \314\201"}, {0x00b5, "μ"},
    {0x00b8, " \314\247"}, {0x00b9, "1"}, {0x00ba, "o"}, {0x00bc, "1⁄4"},
    {0x00bd, "1⁄2"}, {0x00be, "3⁄4"}, {0x0132, "IJ"}, {0x0133, "ij"},
    {0x013f, "L·"}, {0x0140, "l·"}, {0x0149, "ʼn"}, {0x017f, "s"},
    {0x01c4, "DŽ"}, {0x01c5, "Dž"}, {0x01c6, "dž"}, {0x01c7, "LJ"},
    {0x01c8, "Lj"}, {0x01c9, "lj"}, {0x01ca, "NJ"}, {0x01cb, "Nj"},
    {0x01cc, "nj"}, {0x01f1, "DZ"}, {0x01f2, "Dz"}, {0x01f3, "dz"},
    {0x02b0, "h"}, {0x02b1, "ɦ"}, {0x02b2, "j"}, {0x02b3, "r"}, {0x02b4, "ɹ"},
    {0x02b5, "ɻ"}, {0x02b6, "ʁ"}, {0x02b7, "w"}, {0x02b8, "y"},
    {0x02d8, " \314\206"}, {0x02d9, " \314\207"}, {0x02da, " \314\212"},
    {0x02db, " \314\250"}, {0x02dc, " \314\203"}, {0x02dd, " \314\213"},
    {0x02e0, "ɣ"}, {0x02e1, "l"}, {0x02e2, "s"}, {0x02e3, "x"}, {0x02e4, "ʕ"},
    {0x0374, "ʹ"}, {0x037a, " \315\205"}, {0x037e, ";"}, {0x0384, " \314\201"},
    {0x0387, "·"}, {0x03d0, "β"}, {0x03d1, "θ"}, {0x03d2, "Υ"}, {0x03d5, "φ"},
    {0x03d6, "π"}, {0x03f0, "κ"}, {0x03f1, "ρ"}, {0x03f2, "ς"}, {0x03f4, "Θ"},
    {0x03f5, "ε"}, {0x03f9, "Σ"}, {0x1e9a, "aʾ"},
};/* clang-format on */

#define N_MARKS     (sizeof(marks) / sizeof(marks[0]))
#define N_SPELLINGS (sizeof(spellings) / sizeof(spellings[0]))

/** Characters with the class that their order goes by; 0 begins a new one. */
typedef struct runes {
    uint32_t code[SPV__NFKD_MAX];
    int order[SPV__NFKD_MAX];
    size_t n;
} runes;

/* One character of at most three bytes, the shortest form only; its length,
 * or 0. What is longer is beyond the scripts known here. */
static size_t read_rune(uint32_t *code, const char *text)
{
    const uint8_t *b = (const uint8_t *)text;

    if (b[0] < 0x80) {
        *code = b[0];
        return 1;
    }
    if (b[0] >= 0xc2 && b[0] < 0xe0 && (b[1] & 0xc0) == 0x80) {
        *code = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
        return 2;
    }
    if ((b[0] & 0xf0) != 0xe0 || (b[1] & 0xc0) != 0x80 || (b[2] & 0xc0) != 0x80)
        return 0;
    *code = (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
    return *code < 0x800 ? 0 : 3;
}

static void put_rune(spv_buf *out, uint32_t code)
{
    if (code < 0x80) {
        spv__put_u8(out, (uint8_t)code);
        return;
    }
    if (code < 0x800) {
        spv__put_u8(out, (uint8_t)(0xc0 | code >> 6));
    } else {
        spv__put_u8(out, (uint8_t)(0xe0 | code >> 12));
        spv__put_u8(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
    }
    spv__put_u8(out, (uint8_t)(0x80 | (code & 0x3f)));
}

static bool is_any_mark(uint32_t code)
{
    return (code >= 0x0300 && code < 0x0370) ||
           (code >= 0x0483 && code < 0x0488);
}

/* U+2044, the fraction slash, comes out of one half and its like. */
static bool is_known_script(uint32_t code)
{
    return code < 0x0500 || (code >= 0x1e00 && code < 0x1f00) || code == 0x2044;
}

/* Which mark makes `code` out of another letter; N_MARKS when none does. */
static size_t find_mark(uint32_t *letter, uint32_t code)
{
    for (size_t m = 0; m < N_MARKS; m++) {
        const char *at = marks[m].pairs;

        while (*at) {
            uint32_t composed = 0;

            at += read_rune(letter, at);
            at += read_rune(&composed, at);
            if (composed == code)
                return m;
        }
    }
    return N_MARKS;
}

static const char *find_spelling(uint32_t code)
{
    for (size_t i = 0; i < N_SPELLINGS; i++)
        if (spellings[i].code == code)
            return spellings[i].spelled;
    return NULL;
}

static spv_err push(runes *r, uint32_t code, int order)
{
    size_t i = r->n;

    if (r->n == SPV__NFKD_MAX)
        return SPV_LIMIT;
    /* Canonical order: marks of a letter by class, those of one class as
     * they came. */
    for (; order > 0 && i > 0 && r->order[i - 1] > order; i--) {
        r->code[i] = r->code[i - 1];
        r->order[i] = r->order[i - 1];
    }
    r->code[i] = code;
    r->order[i] = order;
    r->n++;
    return SPV_OK;
}

static spv_err push_mark(runes *r, uint32_t code)
{
    for (size_t m = 0; m < N_MARKS; m++)
        if (marks[m].mark == code)
            return push(r, code, marks[m].order);
    return SPV_UNSUPPORTED;
}

/* Depth is bounded by the tables: no letter has more than three parts. */
static spv_err decompose(runes *r, uint32_t code)
{
    uint32_t letter = 0;
    size_t mark = N_MARKS;
    const char *spelled = NULL;
    spv_err err = SPV_OK;

    if (code < 0x80)
        return push(r, code, 0);
    if (is_any_mark(code))
        return push_mark(r, code);
    if (!is_known_script(code))
        return SPV_UNSUPPORTED;
    mark = find_mark(&letter, code);
    if (mark < N_MARKS) {
        err = decompose(r, letter);
        return err == SPV_OK ? push_mark(r, marks[mark].mark) : err;
    }
    spelled = find_spelling(code);
    if (!spelled)
        return push(r, code, 0);
    while (*spelled && err == SPV_OK) {
        spelled += read_rune(&letter, spelled);
        err = decompose(r, letter);
    }
    return err;
}

/* Four bytes begin a character beyond the scripts known here. */
static spv_err fail_at(uint8_t byte)
{
    return byte >= 0xf0 && byte < 0xf5 ? SPV_UNSUPPORTED : SPV_MALFORMED;
}

spv_err spv__nfkd(spv_buf *out, const char *text, size_t *at)
{
    runes r = {.n = 0};
    spv_err err = SPV_OK;

    *at = 0;
    while (text[*at]) {
        uint32_t code = 0;
        size_t len = read_rune(&code, text + *at);

        err = len ? decompose(&r, code) : fail_at((uint8_t)text[*at]);
        if (err != SPV_OK)
            goto out;
        *at += len;
    }
    for (size_t i = 0; i < r.n; i++)
        put_rune(out, r.code[i]);
    err = out->err;
out:
    spv__cleanse(&r, sizeof(r));
    return err;
}
