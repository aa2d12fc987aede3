// Made by scripts/console-table. The bytes end with a 0 that is not counted, since an array has at least one element.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "cconsole.h"

static const unsigned char file_0[] = {
#embed "../../Console/api.js" suffix(,)
    0};

static const unsigned char file_1[] = {
#embed "../../Console/console.css" suffix(,)
    0};

static const unsigned char file_2[] = {
#embed "../../Console/console.js" suffix(,)
    0};

static const unsigned char file_3[] = {
#embed "../../Console/home.css" suffix(,)
    0};

static const unsigned char file_4[] = {
#embed "../../Console/index.html" suffix(,)
    0};

static const unsigned char file_5[] = {
#embed "../../Console/kit/cell-editor.js" suffix(,)
    0};

static const unsigned char file_6[] = {
#embed "../../Console/kit/chart.js" suffix(,)
    0};

static const unsigned char file_7[] = {
#embed "../../Console/kit/code.js" suffix(,)
    0};

static const unsigned char file_8[] = {
#embed "../../Console/kit/command.js" suffix(,)
    0};

static const unsigned char file_9[] = {
#embed "../../Console/kit/csv.js" suffix(,)
    0};

static const unsigned char file_10[] = {
#embed "../../Console/kit/dialog.js" suffix(,)
    0};

static const unsigned char file_11[] = {
#embed "../../Console/kit/fields.js" suffix(,)
    0};

static const unsigned char file_12[] = {
#embed "../../Console/kit/filter-code.js" suffix(,)
    0};

static const unsigned char file_13[] = {
#embed "../../Console/kit/filter.js" suffix(,)
    0};

static const unsigned char file_14[] = {
#embed "../../Console/kit/format.js" suffix(,)
    0};

static const unsigned char file_15[] = {
#embed "../../Console/kit/grid.js" suffix(,)
    0};

static const unsigned char file_16[] = {
#embed "../../Console/kit/icons.js" suffix(,)
    0};

static const unsigned char file_17[] = {
#embed "../../Console/kit/jobs.js" suffix(,)
    0};

static const unsigned char file_18[] = {
#embed "../../Console/kit/keys-dialog.js" suffix(,)
    0};

static const unsigned char file_19[] = {
#embed "../../Console/kit/keys.js" suffix(,)
    0};

static const unsigned char file_20[] = {
#embed "../../Console/kit/lazy.js" suffix(,)
    0};

static const unsigned char file_21[] = {
#embed "../../Console/kit/menu.js" suffix(,)
    0};

static const unsigned char file_22[] = {
#embed "../../Console/kit/palette.js" suffix(,)
    0};

static const unsigned char file_23[] = {
#embed "../../Console/kit/resource.js" suffix(,)
    0};

static const unsigned char file_24[] = {
#embed "../../Console/kit/router.js" suffix(,)
    0};

static const unsigned char file_25[] = {
#embed "../../Console/kit/rows.js" suffix(,)
    0};

static const unsigned char file_26[] = {
#embed "../../Console/kit/save.js" suffix(,)
    0};

static const unsigned char file_27[] = {
#embed "../../Console/kit/split.js" suffix(,)
    0};

static const unsigned char file_28[] = {
#embed "../../Console/kit/storage.js" suffix(,)
    0};

static const unsigned char file_29[] = {
#embed "../../Console/kit/tab-leaves.js" suffix(,)
    0};

static const unsigned char file_30[] = {
#embed "../../Console/kit/tabs.js" suffix(,)
    0};

static const unsigned char file_31[] = {
#embed "../../Console/kit/toast.js" suffix(,)
    0};

static const unsigned char file_32[] = {
#embed "../../Console/kit/values.js" suffix(,)
    0};

static const unsigned char file_33[] = {
#embed "../../Console/live.js" suffix(,)
    0};

static const unsigned char file_34[] = {
#embed "../../Console/logs.css" suffix(,)
    0};

static const unsigned char file_35[] = {
#embed "../../Console/pages/commands.js" suffix(,)
    0};

static const unsigned char file_36[] = {
#embed "../../Console/pages/data-actions.js" suffix(,)
    0};

static const unsigned char file_37[] = {
#embed "../../Console/pages/data-cards.js" suffix(,)
    0};

static const unsigned char file_38[] = {
#embed "../../Console/pages/data-dialogs.js" suffix(,)
    0};

static const unsigned char file_39[] = {
#embed "../../Console/pages/data-filter.js" suffix(,)
    0};

static const unsigned char file_40[] = {
#embed "../../Console/pages/data-generate.js" suffix(,)
    0};

static const unsigned char file_41[] = {
#embed "../../Console/pages/data-import.js" suffix(,)
    0};

static const unsigned char file_42[] = {
#embed "../../Console/pages/data-live.js" suffix(,)
    0};

static const unsigned char file_43[] = {
#embed "../../Console/pages/data-many.js" suffix(,)
    0};

static const unsigned char file_44[] = {
#embed "../../Console/pages/data.js" suffix(,)
    0};

static const unsigned char file_45[] = {
#embed "../../Console/pages/diagram.js" suffix(,)
    0};

static const unsigned char file_46[] = {
#embed "../../Console/pages/document-link.js" suffix(,)
    0};

static const unsigned char file_47[] = {
#embed "../../Console/pages/explain.js" suffix(,)
    0};

static const unsigned char file_48[] = {
#embed "../../Console/pages/home.js" suffix(,)
    0};

static const unsigned char file_49[] = {
#embed "../../Console/pages/identities.js" suffix(,)
    0};

static const unsigned char file_50[] = {
#embed "../../Console/pages/logs-more.js" suffix(,)
    0};

static const unsigned char file_51[] = {
#embed "../../Console/pages/logs.js" suffix(,)
    0};

static const unsigned char file_52[] = {
#embed "../../Console/pages/query.js" suffix(,)
    0};

static const unsigned char file_53[] = {
#embed "../../Console/pages/record-access.js" suffix(,)
    0};

static const unsigned char file_54[] = {
#embed "../../Console/pages/record-links.js" suffix(,)
    0};

static const unsigned char file_55[] = {
#embed "../../Console/pages/record.js" suffix(,)
    0};

static const unsigned char file_56[] = {
#embed "../../Console/pages/schema-actions.js" suffix(,)
    0};

static const unsigned char file_57[] = {
#embed "../../Console/pages/schema-deploy.js" suffix(,)
    0};

static const unsigned char file_58[] = {
#embed "../../Console/pages/schema-dialogs.js" suffix(,)
    0};

static const unsigned char file_59[] = {
#embed "../../Console/pages/schema-draft.js" suffix(,)
    0};

static const unsigned char file_60[] = {
#embed "../../Console/pages/schema-file.js" suffix(,)
    0};

static const unsigned char file_61[] = {
#embed "../../Console/pages/schema-inspector.js" suffix(,)
    0};

static const unsigned char file_62[] = {
#embed "../../Console/pages/schema-merge.js" suffix(,)
    0};

static const unsigned char file_63[] = {
#embed "../../Console/pages/schema-model.js" suffix(,)
    0};

static const unsigned char file_64[] = {
#embed "../../Console/pages/schema-sdl.js" suffix(,)
    0};

static const unsigned char file_65[] = {
#embed "../../Console/pages/schema-tabs.js" suffix(,)
    0};

static const unsigned char file_66[] = {
#embed "../../Console/pages/schema-templates.js" suffix(,)
    0};

static const unsigned char file_67[] = {
#embed "../../Console/pages/schema-text.js" suffix(,)
    0};

static const unsigned char file_68[] = {
#embed "../../Console/pages/schema-undo.js" suffix(,)
    0};

static const unsigned char file_69[] = {
#embed "../../Console/pages/schema-versions.js" suffix(,)
    0};

static const unsigned char file_70[] = {
#embed "../../Console/pages/schema.js" suffix(,)
    0};

static const unsigned char file_71[] = {
#embed "../../Console/pages/signin-again.js" suffix(,)
    0};

static const unsigned char file_72[] = {
#embed "../../Console/pages/signin.js" suffix(,)
    0};

static const unsigned char file_73[] = {
#embed "../../Console/pages/snippets.js" suffix(,)
    0};

static const unsigned char file_74[] = {
#embed "../../Console/pages/subscription.js" suffix(,)
    0};

static const unsigned char file_75[] = {
#embed "../../Console/palette.css" suffix(,)
    0};

static const unsigned char file_76[] = {
#embed "../../Console/query.css" suffix(,)
    0};

static const unsigned char file_77[] = {
#embed "../../Console/record.css" suffix(,)
    0};

static const unsigned char file_78[] = {
#embed "../../Console/schema.css" suffix(,)
    0};

static const unsigned char file_79[] = {
#embed "../../Console/signin.css" suffix(,)
    0};

static const unsigned char file_80[] = {
#if __has_embed("../../.build/console/codemirror.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/codemirror.css" suffix(,)
#endif
    0};

static const unsigned char file_81[] = {
#if __has_embed("../../.build/console/codemirror.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/codemirror.js" suffix(,)
#endif
    0};

static const unsigned char file_82[] = {
#if __has_embed("../../.build/console/dagre.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/dagre.js" suffix(,)
#endif
    0};

static const unsigned char file_83[] = {
#if __has_embed("../../.build/console/graphiql-explorer.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql-explorer.css" suffix(,)
#endif
    0};

static const unsigned char file_84[] = {
#if __has_embed("../../.build/console/graphiql-explorer.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql-explorer.js" suffix(,)
#endif
    0};

static const unsigned char file_85[] = {
#if __has_embed("../../.build/console/graphiql.css") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql.css" suffix(,)
#endif
    0};

static const unsigned char file_86[] = {
#if __has_embed("../../.build/console/graphiql.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/graphiql.js" suffix(,)
#endif
    0};

static const unsigned char file_87[] = {
#if __has_embed("../../.build/console/inter-ext.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/inter-ext.woff2" suffix(,)
#endif
    0};

static const unsigned char file_88[] = {
#if __has_embed("../../.build/console/inter.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/inter.woff2" suffix(,)
#endif
    0};

static const unsigned char file_89[] = {
#if __has_embed("../../.build/console/mono-400.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/mono-400.woff2" suffix(,)
#endif
    0};

static const unsigned char file_90[] = {
#if __has_embed("../../.build/console/mono-500.woff2") == __STDC_EMBED_FOUND__
#embed "../../.build/console/mono-500.woff2" suffix(,)
#endif
    0};

static const unsigned char file_91[] = {
#if __has_embed("../../.build/console/preact-htm.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/preact-htm.js" suffix(,)
#endif
    0};

static const unsigned char file_92[] = {
#if __has_embed("../../.build/console/react-dom.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/react-dom.js" suffix(,)
#endif
    0};

static const unsigned char file_93[] = {
#if __has_embed("../../.build/console/react.js") == __STDC_EMBED_FOUND__
#embed "../../.build/console/react.js" suffix(,)
#endif
    0};

static const cconsole_file files[] = {
    {"api.js", file_0, sizeof file_0 - 1},
    {"console.css", file_1, sizeof file_1 - 1},
    {"console.js", file_2, sizeof file_2 - 1},
    {"home.css", file_3, sizeof file_3 - 1},
    {"index.html", file_4, sizeof file_4 - 1},
    {"kit/cell-editor.js", file_5, sizeof file_5 - 1},
    {"kit/chart.js", file_6, sizeof file_6 - 1},
    {"kit/code.js", file_7, sizeof file_7 - 1},
    {"kit/command.js", file_8, sizeof file_8 - 1},
    {"kit/csv.js", file_9, sizeof file_9 - 1},
    {"kit/dialog.js", file_10, sizeof file_10 - 1},
    {"kit/fields.js", file_11, sizeof file_11 - 1},
    {"kit/filter-code.js", file_12, sizeof file_12 - 1},
    {"kit/filter.js", file_13, sizeof file_13 - 1},
    {"kit/format.js", file_14, sizeof file_14 - 1},
    {"kit/grid.js", file_15, sizeof file_15 - 1},
    {"kit/icons.js", file_16, sizeof file_16 - 1},
    {"kit/jobs.js", file_17, sizeof file_17 - 1},
    {"kit/keys-dialog.js", file_18, sizeof file_18 - 1},
    {"kit/keys.js", file_19, sizeof file_19 - 1},
    {"kit/lazy.js", file_20, sizeof file_20 - 1},
    {"kit/menu.js", file_21, sizeof file_21 - 1},
    {"kit/palette.js", file_22, sizeof file_22 - 1},
    {"kit/resource.js", file_23, sizeof file_23 - 1},
    {"kit/router.js", file_24, sizeof file_24 - 1},
    {"kit/rows.js", file_25, sizeof file_25 - 1},
    {"kit/save.js", file_26, sizeof file_26 - 1},
    {"kit/split.js", file_27, sizeof file_27 - 1},
    {"kit/storage.js", file_28, sizeof file_28 - 1},
    {"kit/tab-leaves.js", file_29, sizeof file_29 - 1},
    {"kit/tabs.js", file_30, sizeof file_30 - 1},
    {"kit/toast.js", file_31, sizeof file_31 - 1},
    {"kit/values.js", file_32, sizeof file_32 - 1},
    {"live.js", file_33, sizeof file_33 - 1},
    {"logs.css", file_34, sizeof file_34 - 1},
    {"pages/commands.js", file_35, sizeof file_35 - 1},
    {"pages/data-actions.js", file_36, sizeof file_36 - 1},
    {"pages/data-cards.js", file_37, sizeof file_37 - 1},
    {"pages/data-dialogs.js", file_38, sizeof file_38 - 1},
    {"pages/data-filter.js", file_39, sizeof file_39 - 1},
    {"pages/data-generate.js", file_40, sizeof file_40 - 1},
    {"pages/data-import.js", file_41, sizeof file_41 - 1},
    {"pages/data-live.js", file_42, sizeof file_42 - 1},
    {"pages/data-many.js", file_43, sizeof file_43 - 1},
    {"pages/data.js", file_44, sizeof file_44 - 1},
    {"pages/diagram.js", file_45, sizeof file_45 - 1},
    {"pages/document-link.js", file_46, sizeof file_46 - 1},
    {"pages/explain.js", file_47, sizeof file_47 - 1},
    {"pages/home.js", file_48, sizeof file_48 - 1},
    {"pages/identities.js", file_49, sizeof file_49 - 1},
    {"pages/logs-more.js", file_50, sizeof file_50 - 1},
    {"pages/logs.js", file_51, sizeof file_51 - 1},
    {"pages/query.js", file_52, sizeof file_52 - 1},
    {"pages/record-access.js", file_53, sizeof file_53 - 1},
    {"pages/record-links.js", file_54, sizeof file_54 - 1},
    {"pages/record.js", file_55, sizeof file_55 - 1},
    {"pages/schema-actions.js", file_56, sizeof file_56 - 1},
    {"pages/schema-deploy.js", file_57, sizeof file_57 - 1},
    {"pages/schema-dialogs.js", file_58, sizeof file_58 - 1},
    {"pages/schema-draft.js", file_59, sizeof file_59 - 1},
    {"pages/schema-file.js", file_60, sizeof file_60 - 1},
    {"pages/schema-inspector.js", file_61, sizeof file_61 - 1},
    {"pages/schema-merge.js", file_62, sizeof file_62 - 1},
    {"pages/schema-model.js", file_63, sizeof file_63 - 1},
    {"pages/schema-sdl.js", file_64, sizeof file_64 - 1},
    {"pages/schema-tabs.js", file_65, sizeof file_65 - 1},
    {"pages/schema-templates.js", file_66, sizeof file_66 - 1},
    {"pages/schema-text.js", file_67, sizeof file_67 - 1},
    {"pages/schema-undo.js", file_68, sizeof file_68 - 1},
    {"pages/schema-versions.js", file_69, sizeof file_69 - 1},
    {"pages/schema.js", file_70, sizeof file_70 - 1},
    {"pages/signin-again.js", file_71, sizeof file_71 - 1},
    {"pages/signin.js", file_72, sizeof file_72 - 1},
    {"pages/snippets.js", file_73, sizeof file_73 - 1},
    {"pages/subscription.js", file_74, sizeof file_74 - 1},
    {"palette.css", file_75, sizeof file_75 - 1},
    {"query.css", file_76, sizeof file_76 - 1},
    {"record.css", file_77, sizeof file_77 - 1},
    {"schema.css", file_78, sizeof file_78 - 1},
    {"signin.css", file_79, sizeof file_79 - 1},
    {"codemirror.css", file_80, sizeof file_80 - 1},
    {"codemirror.js", file_81, sizeof file_81 - 1},
    {"dagre.js", file_82, sizeof file_82 - 1},
    {"graphiql-explorer.css", file_83, sizeof file_83 - 1},
    {"graphiql-explorer.js", file_84, sizeof file_84 - 1},
    {"graphiql.css", file_85, sizeof file_85 - 1},
    {"graphiql.js", file_86, sizeof file_86 - 1},
    {"inter-ext.woff2", file_87, sizeof file_87 - 1},
    {"inter.woff2", file_88, sizeof file_88 - 1},
    {"mono-400.woff2", file_89, sizeof file_89 - 1},
    {"mono-500.woff2", file_90, sizeof file_90 - 1},
    {"preact-htm.js", file_91, sizeof file_91 - 1},
    {"react-dom.js", file_92, sizeof file_92 - 1},
    {"react.js", file_93, sizeof file_93 - 1},
};

size_t cconsole_file_count(void) { return sizeof files / sizeof files[0]; }

cconsole_file cconsole_file_at(size_t index) { return files[index]; }
