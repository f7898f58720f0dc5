/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known CPU models and their capabilities. CPUID.0AH and features were read on real machines (the
 * InstLatx64 collection, July 2026), except for Nova Lake and rows with a comment such as "as
 * Skylake". For the exceptions, CPUID.0AH follows Linux (arch/x86/events/intel/core.c), and
 * features follow Intel's "Architecture Instruction Set Extensions Programming Reference". Models
 * and steppings are from scripts/libpfm4-cpus.csv, Linux (arch/x86/include/asm/intel-family.h), and
 * perfmon's mapfile.csv.
 */
#include "pmu/cpu/other.h"
#include "pmu/base/nearest.h"
#include "pmu/base/text.h"
#include "pmu/cpu/features.h"

#define FAMILY_MAX   0xffu
#define MODEL_MAX    0xffu
#define STEPPING_MAX 0xfu

#define CORE_2       "sse3 ssse3 cx16 "
#define PENRYN       CORE_2 "sse4_1 "
#define NEHALEM      PENRYN "sse4_2 popcnt rdtscp "
#define WESTMERE     NEHALEM "aes pclmulqdq "
#define SANDY_BRIDGE WESTMERE "avx "
#define IVY_BRIDGE   SANDY_BRIDGE "f16c rdrand "
#define HASWELL      IVY_BRIDGE "avx2 lzcnt bmi1 bmi2 movbe fma "
#define BROADWELL    HASWELL "adx rdseed prefetchw "
#define SKYLAKE      BROADWELL "clflushopt "
#define AVX512       "avx512f avx512bw avx512dq avx512vl avx512cd "
#define SKYLAKE_X    SKYLAKE AVX512 "clwb "
#define CASCADE_LAKE SKYLAKE_X "avx512_vnni "
#define AVX512_MORE                                                                                \
    AVX512 "avx512_ifma avx512_vbmi avx512_vbmi2 avx512_vnni avx512_bitalg avx512_vpopcntdq "
#define SUNNY_COVE  SKYLAKE "sha gfni vaes vpclmulqdq rdpid "
#define ICE_LAKE    SUNNY_COVE AVX512_MORE
#define TIGER_LAKE  ICE_LAKE "clwb movdiri movdir64b "
#define GRACEMONT   SUNNY_COVE "clwb movdiri movdir64b avx_vnni serialize "
#define GOLDEN_COVE GRACEMONT AVX512_MORE

#define BONNELL       CORE_2 "movbe "
#define SILVERMONT    WESTMERE "movbe rdrand prefetchw "
#define GOLDMONT      SILVERMONT "sha rdseed clflushopt "
#define GOLDMONT_PLUS GOLDMONT "rdpid "
#define LAKEFIELD     GOLDMONT_PLUS "gfni clwb "
#define TREMONT       LAKEFIELD "movdiri movdir64b "
#define XEON_PHI      BROADWELL "avx512f avx512cd "

/* PILEDRIVER contains each feature that some core from Piledriver to Excavator has. */
#define K10        "sse3 popcnt lzcnt cx16 prefetchw rdtscp "
#define BOBCAT     K10 "ssse3 "
#define JAGUAR     BULLDOZER "bmi1 movbe f16c rdrand "
#define BULLDOZER  BOBCAT "sse4_1 sse4_2 aes pclmulqdq avx "
#define PILEDRIVER BULLDOZER "bmi1 fma f16c avx2 bmi2 movbe rdrand "
#define ZEN_1      PILEDRIVER "adx sha rdseed clflushopt "
#define ZEN_2      ZEN_1 "clwb rdpid "
#define ZEN_3      ZEN_2 "vaes vpclmulqdq "
#define ZEN_4      ZEN_3 "gfni " AVX512_MORE
#define ZEN_5      ZEN_4 "avx_vnni movdiri movdir64b "

/* CPUID.0AH: EAX, EBX, ECX, EDX. PMU version 6: also EAX and EBX of CPUID.23H, subleaf 1. */
/* clang-format off */
#define PERF_MON_V2 {1, 6, 0, 0} /* CPUID.8000_0022H, core counters only */
#define V2_CORE     {0x07280202, 0, 0, 0} /* late steppings report three fixed counters */
#define V2_PENRYN   {0x07280202, 0, 0, 0x503}
#define V3_ATOM     {0x07280203, 0, 0, 0x503}
#define V3_SILVERMONT {0x07280203, 0, 0, 0x4503} /* EDX[14] is reserved */
#define V3_NEHALEM  {0x07300403, 0x44, 0, 0x603}
#define V3_WESTMERE {0x07300403, 0x04, 0, 0x603}
#define V3          {0x07300403, 0, 0, 0x603}
#define V4          {0x07300404, 0, 0, 0x603}
#define V4_NO_ANY   {0x07300404, 0, 0, 0x8603}
#define V5          {0x08300805, 0, 0xf, 0x8604}
#define V5_LAKE     {0x07300405, 0x04, 0x7, 0x8603}
#define V5_TREMONT  {0x07300405, 0, 0x7, 0x8603}
#define V5_HYBRID   {0x07300605, 0, 0x7, 0x8603} /* the counters that both core types have */
#define V5_CRESTMONT {0x07300805, 0, 0x7, 0x8603}
#define V6          {0x0d300806, 0x280, 0x7, 0x8603}
#define V6_P        V6, .counters = {0x3ff, 0x0f, 0, 0}
#define V6_E        V6, .counters = {0xff, 0x77, 0, 0}
/* clang-format on */

#define ROW(vendor_is, family_is, low, high, model_list, name_list, features_are)                  \
    .names = name_list, .models = model_list, .vendor = vendor_is, .family = family_is,            \
    .stepping_low = low, .stepping_high = high, .features = features_are
#define INTEL(models, names, leaf, features)                                                       \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, 0, STEPPING_MAX, models, names, features), .pmu = leaf                \
    }
/* Two threads share a core's counters unless hyper-threading is off. */
#define INTEL_SHARED(models, names, leaf, features)                                                \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, 0, STEPPING_MAX, models, names, features), .pmu = leaf,               \
                                                                        .alone_count = 8           \
    }
#define INTEL_STEPS(low, high, models, names, leaf, features)                                      \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, low, high, models, names, features), .pmu = leaf                      \
    }
#define INTEL_SHARED_STEPS(low, high, models, names, leaf, features)                               \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, low, high, models, names, features), .pmu = leaf, .alone_count = 8    \
    }
#define INTEL_P(models, names, leaf, features)                                                     \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, 0, STEPPING_MAX, models, names, features),                            \
            .pmu = leaf, .core_type = CORE_TYPE_CORE                                               \
    }
#define INTEL_E(models, names, leaf, features)                                                     \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, 0, STEPPING_MAX, models, names, features),                            \
            .pmu = leaf, .core_type = CORE_TYPE_ATOM                                               \
    }
#define INTEL_NATIVE(models, native, names, leaf, features)                                        \
    {                                                                                              \
        ROW(VENDOR_INTEL, 6, 0, STEPPING_MAX, models, names, features),                            \
            .pmu = leaf, .core_type = CORE_TYPE_ATOM, .native_model = native                       \
    }
/* Family 18. No CPUID dump is known, so the counters are those in perfmon's files. */
#define INTEL_NOVA_LAKE(type, models, names, ...)                                                  \
    {                                                                                              \
        ROW(VENDOR_INTEL, 18, 0, STEPPING_MAX, models, names, NULL), .pmu = V6, .core_type = type, \
                                                                     .counters = __VA_ARGS__       \
    }
#define AMD_STEPS(family, low, high, models, names, features)                                      \
    {                                                                                              \
        ROW(VENDOR_AMD, family, low, high, models, names, features)                                \
    }
#define AMD(family, models, names, features)                                                       \
    AMD_STEPS(family, 0, STEPPING_MAX, models, names, features)
#define AMD_V2(family, models, names, features)                                                    \
    {                                                                                              \
        ROW(VENDOR_AMD, family, 0, STEPPING_MAX, models, names, features), .pmu = PERF_MON_V2      \
    }

/* The first matching row applies; on a hybrid, the first for each kind of core. */
static const struct cpu_model MODELS[] = {
    INTEL("f 16", "core core2 merom", V2_CORE, CORE_2),
    INTEL("17 1d", "penryn", V2_PENRYN, PENRYN),
    INTEL_STEPS(0x4, 0xf, "1a", "nhm nehalem nehalemep", V3_NEHALEM, NEHALEM),
    INTEL_STEPS(0x0, 0x3, "1a", "nhm nehalem nehalemep", V3, NEHALEM),
    INTEL("1e 1f", "nhm nehalem nehalemep", V3_NEHALEM, NEHALEM),
    INTEL("2e", "nhm_ex nehalemex", V3_NEHALEM, NEHALEM),
    INTEL("25", "wsm westmere westmereepsp", V3_WESTMERE, WESTMERE),
    INTEL("2c", "wsm_dp westmereep westmereepdp", V3_WESTMERE, WESTMERE),
    INTEL("2f", "westmereex", V3_WESTMERE, WESTMERE),
    INTEL_SHARED("2a", "snb sandybridge", V3, SANDY_BRIDGE),
    INTEL_SHARED("2d", "snb_ep jaketown jkt sandybridgeep", V3, SANDY_BRIDGE),
    INTEL_SHARED("3a", "ivb ivybridge", V3, IVY_BRIDGE),
    INTEL_SHARED("3e", "ivb_ep ivytown ivt ivybridgeep", V3, IVY_BRIDGE),
    INTEL_SHARED("3c 45 46", "hsw haswell", V3, HASWELL),
    INTEL_SHARED("3f", "hsw_ep haswellx hsx haswellep", V3, HASWELL),
    INTEL_SHARED("3d 47", "bdw broadwell", V3, BROADWELL),
    INTEL_SHARED("4f", "bdw_ep broadwellx bdx broadwellep", V3, BROADWELL),
    INTEL_SHARED("56", "broadwellde", V3, BROADWELL),
    INTEL_SHARED("5e 4e", "skl skylake", V4, SKYLAKE),
    INTEL_SHARED("9e 8e", "kabylake kbl coffeelake cfl whiskeylake amberlake", V4, SKYLAKE),
    INTEL_SHARED("a5 a6", "cometlake cml", V4, SKYLAKE),
    INTEL_SHARED("66", "cannonlake cnl", V4, NULL), /* as Skylake */
    INTEL_SHARED_STEPS(0x0, 0x4, "55", "skx skylakex skylakeserver", V4, SKYLAKE_X),
    INTEL_SHARED_STEPS(0x5, 0x9, "55", "clx cascadelakex cascadelake", V4, CASCADE_LAKE),
    INTEL_SHARED_STEPS(0xa, 0xf, "55", "cooperlake cpx", V4, CASCADE_LAKE), /* as Cascade Lake */
    INTEL("7e 7d 9d", "icl icelake", V5, ICE_LAKE),
    INTEL("8c 8d", "tigerlake tgl", V5, TIGER_LAKE),
    INTEL("a7", "rocketlake rkl", V5, ICE_LAKE),
    INTEL("6a 6c", "icx icelakex icelakeserver", V5, ICE_LAKE "clwb "),
    INTEL("8f", "spr sapphirerapids", V5, GOLDEN_COVE),
    INTEL("cf", "emr emeraldrapids", V5, GOLDEN_COVE),
    INTEL("ad ae", "gnr graniterapids", V5, GOLDEN_COVE), /* as Sapphire Rapids */

    INTEL_P("8a", "lakefield lkf", V5_LAKE, LAKEFIELD),
    INTEL_E("8a", "lakefield lkf", V5_LAKE, LAKEFIELD),
    INTEL_P("97 9a", "adl_glc alderlake adl", V5_HYBRID, GOLDEN_COVE),
    INTEL_E("97 9a", "adl_grt alderlake adl", V5_HYBRID, GRACEMONT),
    INTEL_P("b7 ba bf", "raptorlake rpl", V5_HYBRID, GRACEMONT),
    INTEL_E("b7 ba bf", "raptorlake rpl", V5_HYBRID, GRACEMONT),
    INTEL("d7", "bartlettlake", V5, GRACEMONT), /* as Raptor Lake, but without E-cores */
    INTEL_P("aa ac", "meteorlake mtl", V5_CRESTMONT, GRACEMONT),
    INTEL_E("aa ac", "meteorlake mtl", V5_CRESTMONT, GRACEMONT),
    INTEL_P("b5", "arrowlakeu", V5_CRESTMONT, GRACEMONT),
    INTEL_E("b5", "arrowlakeu", V5_CRESTMONT, GRACEMONT),
    INTEL_P("c6", "arrowlake arl", V6_P, GRACEMONT),
    INTEL_E("c6", "arrowlake arl", V6_E, GRACEMONT),
    INTEL_P("c5", "arrowlakeh", V6_P, GRACEMONT), /* assumed to equal C6H */
    INTEL_NATIVE("c5", 3, "arrowlakeh", V6_E, GRACEMONT),
    INTEL_NATIVE("c5", 2, "arrowlakeh", V5_CRESTMONT, GRACEMONT), /* low-power Crestmont cores */
    INTEL_P("bd", "lunarlake lnl", V6_P, GRACEMONT),              /* as Arrow Lake */
    INTEL_E("bd", "lunarlake lnl", V6_E, GRACEMONT),
    INTEL_P("cc d5", "pantherlake ptl wildcatlake", V6_P, GRACEMONT),
    INTEL_E("cc d5", "pantherlake ptl wildcatlake", V6_E, GRACEMONT),
    INTEL_NOVA_LAKE(0x40, "1 3", "novalake nvl", {0xff, 0x0f, 0, 0}),
    INTEL_NOVA_LAKE(0x20, "1 3", "novalake nvl", {0xff, 0x77, 0, 0}),

    INTEL("1c 26 27 35 36", "atom bonnell bnl", V3_ATOM, BONNELL),
    INTEL("37 4a 4d 5a 5d", "slm silvermont", V3_SILVERMONT, SILVERMONT),
    INTEL("4c", "airmont", V3_ATOM, SILVERMONT),
    INTEL("5c 5f", "glm goldmont", V4, GOLDMONT),
    INTEL("7a", "goldmontplus glp", V4_NO_ANY, GOLDMONT_PLUS),
    INTEL("96 9c", "tmt tremont elkhartlake jasperlake", V5_TREMONT, TREMONT),
    INTEL("86", "snowridgex snr", V5_TREMONT, TREMONT), /* as Elkhart Lake */
    INTEL("be", "alderlaken adln", V5_HYBRID, GRACEMONT),
    INTEL("af", "srf sierraforest", V5_CRESTMONT, GRACEMONT), /* as Meteor Lake's atom */
    INTEL("b6", "grandridge grr", V5_CRESTMONT, GRACEMONT),
    INTEL("dd", "clearwaterforest cwf", V6_E, GRACEMONT), /* as Panther Lake's atom */
    INTEL("57", "knl knightslanding", V3_ATOM, XEON_PHI),
    INTEL("85", "knm knightsmill", V3_ATOM, XEON_PHI "avx512_vpopcntdq "), /* as Knights Landing */

    AMD_STEPS(0x0f, 0x0, 0x7, "5 4", "amd64_k8_revb", NULL),
    AMD(0x0f, "7 0-f", "amd64_k8_revc", NULL),
    AMD(0x0f, "10-1f", "amd64_k8_revd", NULL),
    AMD(0x0f, "20-3f", "amd64_k8_reve", NULL),
    AMD(0x0f, "40-5f c0-cf", "amd64_k8_revf", NULL),
    AMD(0x0f, "60-7f", "amd64_k8_revg", NULL),
    AMD(0x10, "2 0-3", "amd64_fam10h_barcelona", K10),
    AMD(0x10, "4-7", "amd64_fam10h_shanghai", K10),
    AMD(0x10, "8-f", "amd64_fam10h_istanbul", K10),
    AMD(0x11, "3 0-ff", "amd64_fam11h_turion", "sse3 cx16 prefetchw rdtscp "),
    AMD(0x12, "1 0-ff", "amd64_fam12h_llano", K10),
    AMD(0x14, "1 0-ff", "amd64_fam14h_bobcat", BOBCAT),
    AMD(0x15, "1 0-ff", "amd64_fam15h_interlagos", PILEDRIVER),
    AMD(0x16, "0-ff", "amd64_fam16h", JAGUAR),
    AMD(0x17, "1 0-2f 50-5f", "amd64_fam17h_zen1 zen1 amdzen1", ZEN_1),
    AMD(0x17, "31 0-ff", "amd64_fam17h_zen2 zen2 amdzen2", ZEN_2),
    AMD(0x18, "1 0-ff", "hygon dhyana", ZEN_1),
    AMD_V2(0x19, "11 10-1f 60-af", "amd64_fam19h_zen4 zen4 amdzen4", ZEN_4),
    AMD(0x19, "1 0-ff", "amd64_fam19h_zen3 zen3 amdzen3", ZEN_3),
    AMD_V2(0x1a, "2 0-ff", "amd64_fam1ah_zen5 zen5 amdzen5", ZEN_5),
};
#define MODELS_COUNT (sizeof(MODELS) / sizeof(MODELS[0]))

const struct cpu_model *cpu_model_at(unsigned index)
{
    return index < MODELS_COUNT ? &MODELS[index] : NULL;
}

/*
 * A hybrid may report no core type while its efficiency cores are off. Without a core type, the
 * first row of the CPU's model applies.
 */
const struct cpu_model *cpu_model_of(const struct cpu_caps *caps)
{
    bool has_model;

    for (const struct cpu_model *row = MODELS; row < MODELS + MODELS_COUNT; row++)
        if (row->vendor == caps->vendor && row->family == caps->family &&
            piece_hex_list(piece_of(row->models), caps->model, &has_model) && has_model &&
            caps->stepping >= row->stepping_low && caps->stepping <= row->stepping_high &&
            (row->core_type == 0 || caps->core_type == 0 || row->core_type == caps->core_type) &&
            (row->native_model == 0 || row->native_model == caps->native_model))
            return row;
    return NULL;
}

/* See struct other_cpu. */
static uint32_t features_unread(const struct cpu_model *model)
{
    if (model->vendor == VENDOR_INTEL)
        return model->core_type ? FEATURE_HYBRID : 0;
    return FEATURE_AMD_CORE | (model->family == FAMILY_ZEN_5 ? FEATURE_AMD_PREC_RET : 0);
}

static uint64_t features_of(const char *names)
{
    uint64_t features = 0;
    struct piece rest = piece_of(names ? names : "");

    while (rest.size > 0) {
        struct piece name = word_next(&rest);

        for (unsigned i = 0; i < CPU_FEATURES_COUNT; i++)
            if (piece_is(name, cpu_feature_name(i)))
                features |= 1ull << i;
    }
    return names ? features : (1ull << CPU_FEATURES_COUNT) - 1;
}

struct wanted {
    uint64_t family, model, stepping;
    bool has_stepping;
};

static void add(const struct cpu_model *model, const struct wanted *wanted,
                struct other_cpus *found)
{
    const bool is_intel = model->vendor == VENDOR_INTEL;
    struct cpu_caps *caps;

    for (unsigned i = 0; i < found->count; i++)
        if (found->cpu[i].model->core_type == model->core_type &&
            found->cpu[i].model->native_model == model->native_model)
            return;
    if (found->count == OTHER_CORE_TYPES)
        return;
    found->cpu[found->count].model = model;
    caps = &found->cpu[found->count++].caps;
    *caps = (struct cpu_caps){.vendor = model->vendor,
                              .family = model->family,
                              .model = (uint32_t)wanted->model,
                              .stepping = (uint32_t)wanted->stepping,
                              .core_type = model->core_type,
                              .native_model = model->native_model,
                              .features = features_unread(model),
                              .smt_shift = model->alone_count > 0,
                              .kernel_features = features_of(model->features)};
    text_copy(caps->vendor_id, sizeof(caps->vendor_id),
              is_intel                        ? "GenuineIntel"
              : model->family == FAMILY_HYGON ? VENDOR_ID_HYGON
                                              : "AuthenticAMD");
    if (is_intel)
        caps_take_pmu(model->pmu, caps);
    else
        caps_take_amd_pmu(model->pmu, caps);
    if (model->counters.eax)
        caps_take_extended((struct cpuid_regs){.ebx = 3}, model->counters, caps);
}

/*
 * Parses `text`, a part of `whole`. An error shows `text` if it is a number that is too large, else
 * `whole`.
 */
static bool take_number(struct piece text, const char *what, uint64_t most, struct piece whole,
                        uint64_t *value, struct out *why)
{
    bool is_number = piece_number(text, value);

    if (is_number && *value <= most)
        return true;
    if (is_number)
        out_printf(why, "expected a %s from 0 to %u, found '", what, (unsigned)most);
    else
        out_text(why, "expected FAMILY/MODEL or FAMILY/MODEL/STEPPING, such as 6/143 or 0x6/0x8f, "
                      "found '");
    piece_put(is_number ? text : whole, why);
    out_char(why, '\'');
    return false;
}

static bool find_number(struct piece text, struct other_cpus *found, struct out *why)
{
    struct piece rest, stepping, family = piece_cut(text, '/', &rest);
    struct piece number = piece_cut(rest, '/', &stepping);
    struct wanted wanted = {.has_stepping = stepping.size > 0};
    bool has_model;

    if (!take_number(family, "family", FAMILY_MAX, text, &wanted.family, why) ||
        !take_number(number, "model", MODEL_MAX, text, &wanted.model, why) ||
        (wanted.has_stepping &&
         !take_number(stepping, "stepping", STEPPING_MAX, text, &wanted.stepping, why)))
        return false;
    for (const struct cpu_model *row = MODELS; row < MODELS + MODELS_COUNT; row++) {
        if (row->family != wanted.family ||
            (found->count > 0 && row->vendor != found->cpu[0].model->vendor) ||
            !piece_hex_list(piece_of(row->models), wanted.model, &has_model) || !has_model ||
            (wanted.has_stepping &&
             (wanted.stepping < row->stepping_low || wanted.stepping > row->stepping_high)))
            continue;
        if (!wanted.has_stepping && found->count == 0)
            wanted.stepping = row->stepping_low;
        add(row, &wanted, found);
        if (row->core_type == 0) /* not a hybrid */
            break;
    }
    if (found->count > 0)
        return true;
    out_printf(why, "no CPU of family %u, model %u", (unsigned)wanted.family,
               (unsigned)wanted.model);
    if (wanted.has_stepping)
        out_printf(why, ", stepping %u", (unsigned)wanted.stepping);
    out_text(why, " is known");
    return false;
}

/* Skips blanks, '-' and '_'. Returns 0 at the end. */
static char next_letter(struct piece *text)
{
    while (text->size > 0) {
        char c = piece_lower(*text->at++);

        text->size--;
        if (c != ' ' && c != '-' && c != '_')
            return c;
    }
    return 0;
}

static bool is_same_name(struct piece a, struct piece b)
{
    char c;

    while ((c = next_letter(&a)))
        if (c != next_letter(&b))
            return false;
    return next_letter(&b) == 0;
}

static bool find_name(struct piece text, struct other_cpus *found, struct out *why)
{
    struct nearest nearest = {.wanted = text};

    for (const struct cpu_model *row = MODELS; row < MODELS + MODELS_COUNT; row++) {
        struct piece names = piece_of(row->names), models = piece_of(row->models), rest;
        struct wanted wanted = {.stepping = row->stepping_low};

        piece_hex(piece_cut(word_next(&models), '-', &rest), &wanted.model);
        while (names.size > 0) {
            struct piece name = word_next(&names);

            nearest_consider(&nearest, name);
            if (is_same_name(name, text))
                add(row, &wanted, found);
        }
    }
    if (found->count > 0)
        return true;
    out_text(why, "no CPU '");
    piece_put(text, why);
    out_text(why, "' is known");
    nearest_say(&nearest, why);
    return false;
}

bool other_cpus_find(const char *text, struct other_cpus *found, struct out *why)
{
    struct piece wanted = piece_trim(piece_of(text));

    found->count = 0;
    if (piece_find(wanted, '/') < wanted.size)
        return find_number(wanted, found, why);
    return find_name(wanted, found, why);
}

void other_cpu_words(const struct other_cpu *cpu, struct out *out)
{
    const struct cpu_model *model = cpu->model;
    struct piece names = piece_of(model ? model->names : "");
    const char *before = " (";

    out_printf(out, "%s family %u model %u", caps_vendor_name(&cpu->caps), cpu->caps.family,
               cpu->caps.model);
    if (cpu->is_read)
        out_printf(out, " stepping %u", cpu->caps.stepping);
    else if (model && (model->stepping_low > 0 || model->stepping_high < STEPPING_MAX))
        out_printf(out, " stepping %u-%u", model->stepping_low, model->stepping_high);
    if (caps_hybrid_type(&cpu->caps))
        out_printf(out, ", core type %s", caps_core_type_name(&cpu->caps));
    while (names.size > 0) {
        out_text(out, before);
        piece_put(word_next(&names), out);
        before = ", ";
    }
    if (model)
        out_char(out, ')');
}
