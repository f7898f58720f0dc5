/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an instruction's effect on the counts by decoding it with Capstone. */
#include "tests/prover/decode.h"

#include "tests/prover/newer.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

#define PREFIX_ADDRESS_SIZE 0x67

#define RFLAGS_CF (1u << 0)
#define RFLAGS_PF (1u << 2)
#define RFLAGS_ZF (1u << 6)
#define RFLAGS_SF (1u << 7)
#define RFLAGS_OF (1u << 11)

#define R 1u
#define W 2u

#define BIT(property) (1ull << PROPERTY_##property)
_Static_assert(PROPERTY_END <= 64, "bits of effect.properties");

/*
 * Capstone 4.0.2 reports some memory accesses wrongly. Capstone reports the stores of MOVDQA,
 * VMOVDQA and MOVNTI as reads, and the operand of a long NOP as read, and omits accesses to the
 * stack.
 *
 * An instruction with a memory operand is accepted if RULES or NO_ACCESS lists it. An instruction
 * that neither lists is accepted if its first operand is a vector register and it is not a gather.
 * Such an instruction is assumed to write only to its first operand. In RULES, `first` is the
 * access to the first operand if this operand is in memory, and `stack` is the access to the stack.
 * Every other operand in memory is read.
 */
static const struct memory_rule {
    unsigned id;
    unsigned first;
    unsigned stack;
} RULES[] = {
    /* clang-format off */
    {X86_INS_ADC, R | W, 0},   {X86_INS_ADD, R | W, 0},  {X86_INS_AND, R | W, 0},
    {X86_INS_DEC, R | W, 0},   {X86_INS_INC, R | W, 0},  {X86_INS_NEG, R | W, 0},
    {X86_INS_NOT, R | W, 0},   {X86_INS_OR, R | W, 0},   {X86_INS_ROL, R | W, 0},
    {X86_INS_ROR, R | W, 0},   {X86_INS_SAR, R | W, 0},  {X86_INS_SBB, R | W, 0},
    {X86_INS_SHL, R | W, 0},   {X86_INS_SHR, R | W, 0},  {X86_INS_SUB, R | W, 0},
    {X86_INS_XADD, R | W, 0},  {X86_INS_XCHG, R | W, 0}, {X86_INS_XOR, R | W, 0},
    {X86_INS_CMP, R, 0},       {X86_INS_TEST, R, 0},     {X86_INS_IMUL, R, 0},
    {X86_INS_MUL, R, 0},       {X86_INS_DIV, R, 0},      {X86_INS_IDIV, R, 0},
    {X86_INS_BT, R, 0},        {X86_INS_BSF, 0, 0},      {X86_INS_BSR, 0, 0},
    {X86_INS_TZCNT, 0, 0},     {X86_INS_LZCNT, 0, 0},    {X86_INS_POPCNT, 0, 0},
    {X86_INS_ANDN, 0, 0},      {X86_INS_BEXTR, 0, 0},    {X86_INS_BLSI, 0, 0},
    {X86_INS_BLSMSK, 0, 0},    {X86_INS_BLSR, 0, 0},     {X86_INS_BZHI, 0, 0},
    {X86_INS_MULX, 0, 0},      {X86_INS_PDEP, 0, 0},     {X86_INS_PEXT, 0, 0},
    {X86_INS_RORX, 0, 0},      {X86_INS_SARX, 0, 0},     {X86_INS_SHLX, 0, 0},
    {X86_INS_SHRX, 0, 0},      {X86_INS_SHLD, R | W, 0}, {X86_INS_SHRD, R | W, 0},
    {X86_INS_MOV, W, 0},       {X86_INS_MOVABS, W, 0},   {X86_INS_MOVZX, W, 0},
    {X86_INS_MOVSX, W, 0},     {X86_INS_MOVSXD, W, 0},
    {X86_INS_CMOVA, W, 0},     {X86_INS_CMOVAE, W, 0},   {X86_INS_CMOVB, W, 0},
    {X86_INS_CMOVE, W, 0},     {X86_INS_CMOVNE, W, 0},   {X86_INS_CMOVBE, W, 0},
    {X86_INS_CMOVG, W, 0},     {X86_INS_CMOVGE, W, 0},   {X86_INS_CMOVL, W, 0},
    {X86_INS_CMOVLE, W, 0},    {X86_INS_CMOVS, W, 0},    {X86_INS_CMOVNS, W, 0},
    {X86_INS_CMOVO, W, 0},     {X86_INS_CMOVNO, W, 0},   {X86_INS_CMOVP, W, 0},
    {X86_INS_CMOVNP, W, 0},
    {X86_INS_PUSH, R, W},      {X86_INS_POP, W, R},
    {X86_INS_CALL, R, W},      {X86_INS_RET, 0, R},      {X86_INS_JMP, R, 0},
    {X86_INS_RETFQ, 0, R},
    {X86_INS_MOVSB, W, 0},     {X86_INS_MOVSW, W, 0},    {X86_INS_MOVSQ, W, 0},
    {X86_INS_STOSB, W, 0},     {X86_INS_STOSW, W, 0},    {X86_INS_STOSD, W, 0},
    {X86_INS_STOSQ, W, 0},
    {X86_INS_MOVDQA, W, 0},    {X86_INS_MOVDQU, W, 0},   {X86_INS_MOVNTI, W, 0},
    {X86_INS_VMOVDQA, W, 0},   {X86_INS_VMOVDQU, W, 0},  {X86_INS_VPCMPEQB, 0, 0},
    {X86_INS_LODSB, W, 0},     {X86_INS_LODSQ, W, 0},    {X86_INS_SCASB, R, 0},
    {X86_INS_CMPSB, R, 0},     {X86_INS_MOVBE, W, 0},    {X86_INS_BTS, R | W, 0},
    {X86_INS_CMPXCHG, R | W, 0},                         {X86_INS_CMPXCHG8B, R | W, 0},
    {X86_INS_CMPXCHG16B, R | W, 0},                      {X86_INS_FLD, R, 0},
    {X86_INS_STMXCSR, W, 0},   {X86_INS_LDMXCSR, R, 0},  {X86_INS_MOVNTDQ, W, 0},
    {X86_INS_MOVNTPS, W, 0},   {X86_INS_MOVNTDQA, W, 0},
    {X86_INS_VMOVNTDQ, W, 0},  {X86_INS_VMOVDQA64, W, 0},
    {X86_INS_MOVQ, W, 0},      {X86_INS_VMOVQ, W, 0},    {X86_INS_VMOVAPD, W, 0},
    {X86_INS_SETA, W, 0},      {X86_INS_SETAE, W, 0},    {X86_INS_SETB, W, 0},
    {X86_INS_SETBE, W, 0},     {X86_INS_SETE, W, 0},     {X86_INS_SETNE, W, 0},
    {X86_INS_SETG, W, 0},      {X86_INS_SETGE, W, 0},    {X86_INS_SETL, W, 0},
    {X86_INS_SETLE, W, 0},     {X86_INS_SETS, W, 0},     {X86_INS_SETNS, W, 0},
    {X86_INS_SETO, W, 0},      {X86_INS_SETNO, W, 0},    {X86_INS_SETP, W, 0},
    {X86_INS_SETNP, W, 0},
    {X86_INS_MOVSS, W, 0},     {X86_INS_MOVSD, W, 0},    {X86_INS_MOVD, W, 0},
    {X86_INS_MOVAPS, W, 0},    {X86_INS_MOVUPS, W, 0},   {X86_INS_MOVAPD, W, 0},
    {X86_INS_MOVUPD, W, 0},    {X86_INS_MOVLPS, W, 0},   {X86_INS_MOVHPS, W, 0},
    {X86_INS_MOVLPD, W, 0},    {X86_INS_MOVHPD, W, 0},
    {X86_INS_VMOVSS, W, 0},    {X86_INS_VMOVSD, W, 0},   {X86_INS_VMOVD, W, 0},
    {X86_INS_VMOVAPS, W, 0},   {X86_INS_VMOVUPS, W, 0},  {X86_INS_VMOVUPD, W, 0},
    {X86_INS_VMOVLPS, W, 0},   {X86_INS_VMOVHPS, W, 0},  {X86_INS_VMOVLPD, W, 0},
    {X86_INS_VMOVHPD, W, 0},   {X86_INS_VMOVDQA32, W, 0},
    {X86_INS_VMOVDQU32, W, 0}, {X86_INS_VMOVDQU64, W, 0},
    {X86_INS_VEXTRACTF128, W, 0},                        {X86_INS_VEXTRACTI128, W, 0},
    {X86_INS_CVTSS2SI, 0, 0},  {X86_INS_CVTTSS2SI, 0, 0},
    {X86_INS_CVTSD2SI, 0, 0},  {X86_INS_CVTTSD2SI, 0, 0},
    {X86_INS_VCVTSS2SI, 0, 0}, {X86_INS_VCVTTSS2SI, 0, 0},
    {X86_INS_VCVTSD2SI, 0, 0}, {X86_INS_VCVTTSD2SI, 0, 0},
    /* clang-format on */
};

/* Instructions that do not load their memory operand, such as LEA. */
static const unsigned NO_ACCESS[] = {X86_INS_LEA,         X86_INS_NOP,        X86_INS_PREFETCH,
                                     X86_INS_PREFETCHNTA, X86_INS_PREFETCHT0, X86_INS_PREFETCHT1,
                                     X86_INS_PREFETCHT2,  X86_INS_PREFETCHW,  X86_INS_CLFLUSH,
                                     X86_INS_CLFLUSHOPT,  X86_INS_CLWB};

/*
 * Rejected instructions: they access memory without a memory operand, jump or call far (except
 * RETFQ), enter the operating system, trap, or stop the CPU.
 */
static const unsigned HIDDEN[] = {
    X86_INS_ENTER, X86_INS_LEAVE,    X86_INS_PUSHF,      X86_INS_PUSHFQ,      X86_INS_POPF,
    X86_INS_POPFQ, X86_INS_RETF,     X86_INS_IRET,       X86_INS_IRETD,       X86_INS_IRETQ,
    X86_INS_INT,   X86_INS_INT1,     X86_INS_INT3,       X86_INS_SYSCALL,     X86_INS_SYSENTER,
    X86_INS_XLATB, X86_INS_MASKMOVQ, X86_INS_MASKMOVDQU, X86_INS_VMASKMOVDQU, X86_INS_LCALL,
    X86_INS_LJMP,  X86_INS_RSM,      X86_INS_UD2,        X86_INS_HLT,
};

static csh decoder;
static cs_insn *scratch;

bool decode_open(void)
{
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) != CS_ERR_OK)
        return false;
    cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON);
    scratch = cs_malloc(decoder);
    return scratch != NULL;
}

void decode_close(void)
{
    cs_free(scratch, 1);
    cs_close(&decoder);
}

static bool is_among(unsigned id, const unsigned *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id)
            return true;
    }
    return false;
}

static const struct memory_rule *rule_of(unsigned id)
{
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
        if (RULES[i].id == id)
            return &RULES[i];
    }
    return NULL;
}

static bool is_vector(unsigned reg)
{
    return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) ||
           (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) ||
           (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31);
}

/* Whether a single load reads this operand into a vector register. A gather needs several loads. */
static bool reads_to_vector(const cs_x86 *x86, unsigned operand)
{
    return operand > 0 && x86->operands[0].type == X86_OP_REG && is_vector(x86->operands[0].reg) &&
           !is_vector(x86->operands[operand].mem.index);
}

static uint8_t number_of(unsigned reg)
{
    static const unsigned REGISTERS[] = {
        X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
        X86_REG_RSI, X86_REG_RDI, X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
        X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15, X86_REG_RIP};
    uint8_t i = 0;

    while (i < BASE_NONE && REGISTERS[i] != reg)
        i++;
    return i;
}

static struct access access_of(const cs_x86_op *operand, unsigned access)
{
    return (struct access){.loads = (access & R) != 0,
                           .stores = (access & W) != 0,
                           .bytes = operand->size,
                           .base = number_of(operand->mem.base),
                           .index = number_of(operand->mem.index),
                           .scale = (uint8_t)operand->mem.scale,
                           .offset = operand->mem.disp};
}

static bool set_memory(const cs_insn *instruction, struct effect *effect)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    const struct memory_rule *rule = rule_of(instruction->id);
    unsigned access = rule != NULL ? rule->stack : 0;
    unsigned operands = 0;

    if (is_among(instruction->id, NO_ACCESS, sizeof(NO_ACCESS) / sizeof(NO_ACCESS[0])))
        return true;
    if (is_among(instruction->id, HIDDEN, sizeof(HIDDEN) / sizeof(HIDDEN[0])))
        return false;
    for (unsigned i = 0; i < x86->op_count; i++) {
        if (x86->operands[i].type != X86_OP_MEM)
            continue;
        if (rule == NULL && !reads_to_vector(x86, i))
            return false;
        const unsigned here = i == 0 ? rule->first : R;
        if (operands == 2)
            return false;
        effect->access[operands++] = access_of(&x86->operands[i], here);
        access |= here;
    }
    effect->loads = (access & R) != 0;
    effect->stores = (access & W) != 0;
    return true;
}

/*
 * Whether the instruction changes RDI, for example as a string instruction does. True if Capstone
 * cannot tell.
 */
static bool writes_rdi(const cs_insn *instruction)
{
    cs_regs read, written;
    uint8_t reads = 0, writes = 0;

    if (cs_regs_access(decoder, instruction, read, &reads, written, &writes) != CS_ERR_OK)
        return true;
    for (unsigned i = 0; i < writes; i++) {
        if (written[i] == X86_REG_RDI || written[i] == X86_REG_EDI || written[i] == X86_REG_DI ||
            written[i] == X86_REG_DIL)
            return true;
    }
    return false;
}

/* The opcodes of Jcc, 70h to 7Fh and 0Fh 80h to 8Fh, contain its condition. */
static void set_branch(const cs_insn *instruction, struct effect *effect)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    const uint8_t *opcode = x86->opcode;
    const bool is_direct = x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;

    if (is_direct)
        effect->target = x86->operands[0].imm; /* relative, since the decoder assumes address 0 */
    switch (instruction->id) {
    case X86_INS_JMP:
    case X86_INS_CALL:
        effect->branch = BRANCH_ALWAYS;
        if (instruction->id == X86_INS_CALL)
            effect->properties =
                BIT(NEAR_CALLS) | (is_direct ? BIT(DIRECT_CALLS) : BIT(INDIRECT_CALLS));
        else
            effect->properties = is_direct ? BIT(DIRECT_JUMPS) : BIT(INDIRECT_JUMPS);
        if (!is_direct)
            effect->properties |= BIT(INDIRECT_BRANCHES);
        break;
    case X86_INS_RET:
        effect->branch = BRANCH_ALWAYS;
        effect->returns = true;
        effect->properties = BIT(NEAR_RETURNS);
        break;
    case X86_INS_RETFQ:
        effect->branch = BRANCH_ALWAYS;
        effect->properties = BIT(FAR_BRANCHES);
        break;
    case X86_INS_LOOP:
        effect->branch = BRANCH_LOOP;
        break;
    case X86_INS_LOOPE:
        effect->branch = BRANCH_LOOPE;
        break;
    case X86_INS_LOOPNE:
        effect->branch = BRANCH_LOOPNE;
        break;
    case X86_INS_JRCXZ:
        effect->branch = BRANCH_IF_RCXZ;
        break;
    default:
        if (!cs_insn_group(decoder, instruction, CS_GRP_JUMP))
            break; /* in VEX's maps, opcodes such as 70h are not jumps */
        if ((opcode[0] & 0xf0) == 0x70 || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)) {
            effect->branch = BRANCH_IF;
            effect->condition = (opcode[0] == 0x0f ? opcode[1] : opcode[0]) & 0x0f;
        }
    }
    if (branch_is_conditional(effect))
        effect->properties = BIT(CONDITIONAL_BRANCHES);
}

static bool is_word(const char *text, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(text, words[i], length) == 0)
            return true;
    }
    return false;
}

static void set_nop_or_lock(const cs_insn *instruction, struct effect *effect)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    bool has_memory = false;

    for (unsigned i = 0; i < x86->op_count; i++)
        has_memory |= x86->operands[i].type == X86_OP_MEM;
    if (instruction->id == X86_INS_NOP)
        effect->properties |= BIT(NOPS);
    if (x86->prefix[0] == X86_PREFIX_LOCK || (instruction->id == X86_INS_XCHG && has_memory))
        effect->properties |= BIT(LOCKED_LOADS);
}

/* Opcodes D8h to DFh are the x87's, or belong to instructions with vector registers. */
static bool is_x87(const cs_x86 *x86)
{
    return (x86->opcode[0] & 0xf8) == 0xd8 &&
           !(x86->op_count > 0 && x86->operands[0].type == X86_OP_REG &&
             is_vector(x86->operands[0].reg));
}

static void set_kind(const cs_insn *instruction, struct effect *effect)
{
    static const struct {
        unsigned id;
        uint64_t properties;
    } KINDS[] = {
        {X86_INS_PREFETCHNTA, BIT(PREFETCH_NTA) | BIT(PREFETCHES)},
        {X86_INS_PREFETCHT0, BIT(PREFETCH_T0) | BIT(PREFETCH_T) | BIT(PREFETCHES)},
        {X86_INS_PREFETCHT1, BIT(PREFETCH_T1_T2) | BIT(PREFETCH_T) | BIT(PREFETCHES)},
        {X86_INS_PREFETCHT2, BIT(PREFETCH_T1_T2) | BIT(PREFETCH_T) | BIT(PREFETCHES)},
        {X86_INS_PREFETCHW, BIT(PREFETCH_W) | BIT(PREFETCHES)},
        {X86_INS_PAUSE, BIT(PAUSES)},
        {X86_INS_LFENCE, BIT(LFENCES)},
        {X86_INS_CLFLUSH, BIT(LINE_FLUSHES)},
        {X86_INS_CLWB, BIT(LINE_FLUSHES)},
        {X86_INS_RDPMC, BIT(COUNTER_READS)},
        {X86_INS_RDTSC, BIT(COUNTER_READS)},
        {X86_INS_RDTSCP, BIT(COUNTER_READS)},
        {X86_INS_DIV, BIT(DIVISIONS)},
        {X86_INS_IDIV, BIT(DIVISIONS)},
        {X86_INS_EMMS, BIT(MMX)},
    };
    const cs_x86 *x86 = &instruction->detail->x86;
    bool has_mmx = false;

    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        effect->properties |= KINDS[i].id == instruction->id ? KINDS[i].properties : 0;
    for (unsigned i = 0; i < x86->op_count; i++)
        has_mmx |= x86->operands[i].type == X86_OP_REG && x86->operands[i].reg >= X86_REG_MM0 &&
                   x86->operands[i].reg <= X86_REG_MM7;
    effect->properties |= has_mmx ? BIT(MMX) : 0;
    effect->properties |= is_x87(x86) ? BIT(X87) : 0;
}

static bool begins_with(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    }
    return false;
}

/*
 * Follows Intel perfmon's INT_VEC_RETIRED. Its additions include subtractions, horizontal additions
 * and sums of absolute differences. perfmon does not say which instructions are multiplications;
 * PMADD is assumed to be one.
 */
static void set_vector(const cs_insn *instruction, struct effect *effect)
{
    static const char *const ADDS[] = {"paddb",  "paddw",   "paddd",   "paddq", "paddsb",
                                       "paddsw", "paddusb", "paddusw", "psub",  "phadd",
                                       "phsub",  "psadbw",  "mpsadbw"};
    static const char *const MULTIPLIES[] = {"pmul", "pmadd"};
    const cs_x86_op *to = instruction->detail->x86.operands;
    const char *name = instruction->mnemonic + (instruction->mnemonic[0] == 'v');
    const bool adds = begins_with(name, ADDS, sizeof(ADDS) / sizeof(ADDS[0]));
    const bool multiplies =
        begins_with(name, MULTIPLIES, sizeof(MULTIPLIES) / sizeof(MULTIPLIES[0]));

    if (to->type != X86_OP_REG || !is_vector(to->reg))
        return;
    if (to->size == 16 && adds)
        effect->properties |= BIT(VECTOR_ADD_128);
    if (to->size == 32 && adds)
        effect->properties |= BIT(VECTOR_ADD_256) | BIT(VECTOR_256);
    if (to->size == 32 && multiplies)
        effect->properties |= BIT(VECTOR_MULTIPLY_256) | BIT(VECTOR_256);
}

/*
 * Intel perfmon's FP_ARITH_INST_RETIRED counts these operations. The event counts fused
 * multiplications and DPPS and DPPD twice.
 */
static void set_float(const cs_insn *instruction, struct effect *effect)
{
    static const char *const ONCE[] = {"add",  "sub", "mul",   "div",  "min",  "max",
                                       "sqrt", "rcp", "rsqrt", "hadd", "hsub", "addsub"};
    static const char *const TWICE[] = {"fmadd",    "fmsub",    "fnmadd", "fnmsub",
                                        "fmaddsub", "fmsubadd", "dp"};
    const cs_x86_op *to = instruction->detail->x86.operands;
    const char *name = instruction->mnemonic + (instruction->mnemonic[0] == 'v');
    size_t length = strlen(name), stem = length > 2 ? length - 2 : 0;
    const char *kind = name + stem;
    bool is_double = kind[1] == 'd', is_packed = kind[0] == 'p';

    if ((kind[0] != 's' && !is_packed) || (kind[1] != 's' && !is_double))
        return;
    while (stem > 0 && name[stem - 1] >= '1' && name[stem - 1] <= '3') /* 132, 213, 231 */
        stem--;
    effect->times = is_word(name, stem, TWICE, sizeof(TWICE) / sizeof(TWICE[0])) ? 2 : 1;
    if (effect->times == 1 && !is_word(name, length - 2, ONCE, sizeof(ONCE) / sizeof(ONCE[0])))
        return;
    if (!is_packed)
        effect->properties |= is_double ? BIT(FP_SCALAR_DOUBLE) : BIT(FP_SCALAR_SINGLE);
    else if (to->size == 64)
        effect->properties |= is_double ? BIT(FP_512_DOUBLE) : BIT(FP_512_SINGLE);
    else if (to->size == 32)
        effect->properties |= is_double ? BIT(FP_256_DOUBLE) : BIT(FP_256_SINGLE);
    else
        effect->properties |= is_double ? BIT(FP_128_DOUBLE) : BIT(FP_128_SINGLE);
}

void decode(const uint8_t *code, size_t bytes, struct effect *effect)
{
    const uint8_t *first = code;
    const size_t all = bytes;
    const cs_x86 *x86;
    uint64_t address = 0;

    memset(effect, 0, sizeof(*effect));
    effect->times = 1;
    if (!cs_disasm_iter(decoder, &code, &bytes, &address, scratch)) {
        if (!newer_decode(first, all, effect))
            snprintf(effect->text, sizeof(effect->text), "undecodable bytes");
        return;
    }
    x86 = &scratch->detail->x86;
    snprintf(effect->text, sizeof(effect->text), "%s %.40s", scratch->mnemonic, scratch->op_str);
    set_branch(scratch, effect);
    effect->bytes = (uint8_t)scratch->size;
    effect->writes_rdi = writes_rdi(scratch);
    effect->repeats = strncmp(scratch->mnemonic, "rep", 3) == 0;
    effect->emulated = scratch->id == X86_INS_CPUID;
    effect->known = set_memory(scratch, effect) && x86->prefix[3] != PREFIX_ADDRESS_SIZE;
    set_nop_or_lock(scratch, effect);
    set_kind(scratch, effect);
    set_vector(scratch, effect);
    set_float(scratch, effect);
}

void effect_count(const struct effect *effect, uint64_t counts[KERNEL_COUNTS])
{
    counts[KERNEL_INSTRUCTIONS]++;
    counts[KERNEL_BRANCHES] += effect->branch != BRANCH_NONE;
    counts[KERNEL_LOADS] += effect->loads;
    counts[KERNEL_STORES] += effect->stores;
    for (unsigned i = PROPERTY_FIRST; i < PROPERTY_END; i++)
        counts[i] += (effect->properties >> i & 1) * effect->times;
}

/* An odd condition code negates the even code before it. */
static bool condition_holds(uint8_t condition, uint64_t rflags)
{
    bool sign_differs = !(rflags & RFLAGS_SF) != !(rflags & RFLAGS_OF);
    const bool holds[8] = {
        (rflags & RFLAGS_OF) != 0,
        (rflags & RFLAGS_CF) != 0,
        (rflags & RFLAGS_ZF) != 0,
        (rflags & (RFLAGS_CF | RFLAGS_ZF)) != 0,
        (rflags & RFLAGS_SF) != 0,
        (rflags & RFLAGS_PF) != 0,
        sign_differs,
        sign_differs || (rflags & RFLAGS_ZF) != 0,
    };

    return holds[condition >> 1] != (condition & 1);
}

bool branch_is_taken(const struct effect *effect, uint64_t rflags, uint64_t rcx)
{
    bool zero = (rflags & RFLAGS_ZF) != 0;

    switch (effect->branch) {
    case BRANCH_ALWAYS:
        return true;
    case BRANCH_IF:
        return condition_holds(effect->condition, rflags);
    case BRANCH_LOOP:
        return rcx != 1;
    case BRANCH_LOOPE:
        return rcx != 1 && zero;
    case BRANCH_LOOPNE:
        return rcx != 1 && !zero;
    case BRANCH_IF_RCXZ:
        return rcx == 0;
    case BRANCH_NONE:
        break;
    }
    return false;
}
