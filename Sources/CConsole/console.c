// Made by scripts/console-table. The bytes end with a 0 that is not counted, since an array has at least one element.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cconsole.h"

static const unsigned char file_0[] = {
#embed "../../Console/console.js" suffix(,)
    0};

static const unsigned char file_1[] = {
#embed "../../Console/index.html" suffix(,)
    0};

static const unsigned char file_2[] = {
#if __has_embed("../../.build/console/codemirror.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/codemirror.css" suffix(,)
#endif
    0};

static const unsigned char file_3[] = {
#if __has_embed("../../.build/console/codemirror.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/codemirror.js" suffix(,)
#endif
    0};

static const unsigned char file_4[] = {
#if __has_embed("../../.build/console/dagre.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/dagre.js" suffix(,)
#endif
    0};

static const unsigned char file_5[] = {
#if __has_embed("../../.build/console/graphiql-explorer.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql-explorer.css" suffix(,)
#endif
    0};

static const unsigned char file_6[] = {
#if __has_embed("../../.build/console/graphiql-explorer.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql-explorer.js" suffix(,)
#endif
    0};

static const unsigned char file_7[] = {
#if __has_embed("../../.build/console/graphiql.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql.css" suffix(,)
#endif
    0};

static const unsigned char file_8[] = {
#if __has_embed("../../.build/console/graphiql.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql.js" suffix(,)
#endif
    0};

static const unsigned char file_9[] = {
#if __has_embed("../../.build/console/inter-ext.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/inter-ext.woff2" suffix(,)
#endif
    0};

static const unsigned char file_10[] = {
#if __has_embed("../../.build/console/inter.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/inter.woff2" suffix(,)
#endif
    0};

static const unsigned char file_11[] = {
#if __has_embed("../../.build/console/mono-400.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/mono-400.woff2" suffix(,)
#endif
    0};

static const unsigned char file_12[] = {
#if __has_embed("../../.build/console/mono-500.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/mono-500.woff2" suffix(,)
#endif
    0};

static const unsigned char file_13[] = {
#if __has_embed("../../.build/console/preact-htm.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/preact-htm.js" suffix(,)
#endif
    0};

static const unsigned char file_14[] = {
#if __has_embed("../../.build/console/react-dom.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/react-dom.js" suffix(,)
#endif
    0};

static const unsigned char file_15[] = {
#if __has_embed("../../.build/console/react.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/react.js" suffix(,)
#endif
    0};

static const cconsole_file files[] = {
    {"console.js", file_0, sizeof file_0 - 1},
    {"index.html", file_1, sizeof file_1 - 1},
    {"codemirror.css", file_2, sizeof file_2 - 1},
    {"codemirror.js", file_3, sizeof file_3 - 1},
    {"dagre.js", file_4, sizeof file_4 - 1},
    {"graphiql-explorer.css", file_5, sizeof file_5 - 1},
    {"graphiql-explorer.js", file_6, sizeof file_6 - 1},
    {"graphiql.css", file_7, sizeof file_7 - 1},
    {"graphiql.js", file_8, sizeof file_8 - 1},
    {"inter-ext.woff2", file_9, sizeof file_9 - 1},
    {"inter.woff2", file_10, sizeof file_10 - 1},
    {"mono-400.woff2", file_11, sizeof file_11 - 1},
    {"mono-500.woff2", file_12, sizeof file_12 - 1},
    {"preact-htm.js", file_13, sizeof file_13 - 1},
    {"react-dom.js", file_14, sizeof file_14 - 1},
    {"react.js", file_15, sizeof file_15 - 1},
};

size_t cconsole_file_count(void) { return sizeof files / sizeof files[0]; }

cconsole_file cconsole_file_at(size_t index) { return files[index]; }
