/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes summary.html, except for the sections in summary_*.c. */
#include "pmu/base/text.h"
#include "pmu/events/emulation.h"
#include "pmu/files/facts.h"
#include "pmu/files/summary_parts.h"

#define FACTS_UP_TO_KIB   40u
#define ERRORS_UP_TO_KIB  104u
#define REMARKS_UP_TO_KIB 120u
#define SUMS_UP_TO_KIB    130u

static const char STYLE[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--soft:#666;--line:#d4d4d4;"
    "--good:#0a6b2d;--bad:#b3001b;"
    "--s0:#0b62a4;--s1:#b34a00;--s2:#2f7d32;--s3:#8e2a8e;--s4:#7a6200;--s5:#00757f;--s6:#a3234f;"
    "--s7:#555}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--soft:#a5a5a5;"
    "--line:#3d3d3d;--good:#5fd38a;--bad:#ff8080;--s0:#6db7f2;--s1:#f2a15f;--s2:#7fcf83;"
    "--s3:#d68fd6;--s4:#d9c25a;--s5:#5cc9d3;--s6:#f08bb0;--s7:#bbb}}\n"
    "@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--good:#000;--bad:#000}"
    "body{max-width:none;padding:0}figure,tr,li{break-inside:avoid}h2{break-after:avoid}"
    ".wide{overflow:visible;font-size:.8em}}\n"
    "body{margin:0 auto;max-width:62rem;padding:1rem;font:1rem/1.45 system-ui,sans-serif;"
    "color:var(--ink);background:var(--paper)}\n"
    "h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}\n"
    "h1,p,li,td,th{overflow-wrap:anywhere}p{margin:.4rem 0}ul{padding-left:1.2rem;margin:.4rem 0}"
    "li{margin:.3rem 0}\n"
    ".verdict{font-size:1.5rem;font-weight:700}.good{color:var(--good)}.bad{color:var(--bad)}"
    ".small,figcaption,.key{font-size:.85rem}.small,.more td{color:var(--soft)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15rem .5rem;text-align:right;vertical-align:top;"
    "border-bottom:1px solid var(--line)}"
    "td:first-child,th:first-child,.facts td,.more td{text-align:left}"
    ".wide td,.wide th{overflow-wrap:normal}.wide td:first-child{white-space:nowrap}"
    ".wide .more td:first-child{white-space:pre-line}"
    ".facts th{text-align:left;white-space:nowrap}.wide{overflow-x:auto}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));"
    "gap:1rem}figure{margin:.5rem 0;max-width:36rem}svg{display:block;width:100%;height:auto}\n"
    ".key span{display:inline-block;margin-right:1rem}.key svg{display:inline-block;width:1.8rem;"
    "vertical-align:middle}\n"
    "path{fill:none;stroke:currentColor;stroke-width:1.6;vector-effect:non-scaling-stroke;"
    "stroke-linejoin:round}.grid{stroke:var(--line);stroke-width:1}"
    ".points{stroke-width:5;stroke-linecap:round;stroke-dasharray:none!important}"
    "svg text{font-size:120px;fill:var(--ink);text-anchor:middle}svg .end{text-anchor:end}\n"
    ".s0{stroke:var(--s0)}.s1{stroke:var(--s1);stroke-dasharray:7 3}.s2{stroke:var(--s2);"
    "stroke-dasharray:2 3}.s3{stroke:var(--s3);stroke-dasharray:9 3 2 3}.s4{stroke:var(--s4)}"
    ".s5{stroke:var(--s5);stroke-dasharray:7 3}.s6{stroke:var(--s6);stroke-dasharray:2 3}"
    ".s7{stroke:var(--s7);stroke-dasharray:9 3 2 3}\n"
    "</style>\n";

static const char *verdict_line(const struct summary *summary, char text[VERDICT_LINE_BYTES])
{
    struct out line = out_buffer(text, VERDICT_LINE_BYTES);

    render_verdict(summary->render, &summary->tally, &line);
    return out_end(&line);
}

static void put_start(struct summary *summary)
{
    struct html *html = &summary->html;
    const struct run_record *run = summary->run;
    char line[VERDICT_LINE_BYTES];
    struct out *out;

    html_write(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n");
    out = html_piece(html);
    out_printf(out, "<title>barecount run %04u: ", run->number);
    html_escape(out, verdict_line(summary, line));
    out_text(out, "</title>\n");
    html_write(html, out_end(out));
    html_write(html, STYLE);
    html_write(html, "</head>\n<body>\n");
}

static void put_origin(struct out *out, const struct run_record *run, const struct end_record *end,
                       bool is_complete)
{
    char time[TIME_WORDS_BYTES];

    out_text(out, "<p>");
    if (run->started[0]) {
        html_escape(out, run->started);
        out_text(out, ", ");
    }
    out_text(out, run->source == SOURCE_LINUX ? "barecount-linux " : "barecount ");
    html_escape(out, run->version);
    if (is_complete)
        out_printf(out, ", %s%s", time_words(end->elapsed_us, true, time),
                   end->stopped == STOPPED_BY_USER            ? "; <b>ended early by the user</b>"
                   : end->stopped == STOPPED_BY_MACHINE_CHECK ? "; <b>ended by a machine check</b>"
                                                              : "");
    out_text(out, "</p>\n");
}

static void put_verdict(struct summary *summary)
{
    const struct run_record *run = summary->run;
    struct out *out = html_piece(&summary->html);
    struct end_record end = {0};
    bool is_complete = render_end(summary->render, &end);
    char line[VERDICT_LINE_BYTES], cut_words[NOTE_BYTES];
    const char *verdict = verdict_line(summary, line);
    struct out words = out_buffer(cut_words, sizeof(cut_words));

    out_printf(out, "<h1>Run %04u%s", run->number, run->label[0] ? ": " : "");
    html_escape(out, run->label);
    out_printf(out, "</h1>\n<p class=\"verdict %s\">",
               tally_failed(&summary->tally) > 0 || text_starts(verdict, "FAIL") ? "bad"
               : text_same(verdict, "PASS")                                      ? "good"
                                                                                 : "none");
    html_escape(out, verdict);
    out_text(out, "</p>\n");
    if (!is_complete) {
        render_how_cut_off(summary->render, &words);
        out_text(out, "<p class=\"bad\">");
        html_escape(out, out_end(&words));
        out_text(out, ": this page shows what was finished before that.</p>\n");
    }
    put_origin(out, run, &end, is_complete);
    if (run->emulated)
        out_text(out, "<p><b>" EMULATION_NOTE ".</b></p>\n");
    out_text(out, "<p>Rows: ");
    tally_words(&summary->tally, out);
    out_text(out, "</p>\n");
    html_write(&summary->html, out_end(out));
}

static void put_fact(void *context, const char *name, const char *value)
{
    struct html *html = context;
    struct out *out = html_piece(html);

    out_text(out, "<tr><th>");
    html_escape(out, name);
    out_text(out, "</th><td>");
    html_escape(out, value);
    out_text(out, "</td></tr>\n");
    html_put(html);
}

static void put_machine(struct summary *summary)
{
    const struct beginning first = render_beginning(summary->render);
    struct html *html = &summary->html;
    char microcode[TABLE_CELL_BYTES];

    html_write(html, "<h2>Machine</h2>\n<table class=\"facts\">\n");
    html_limit(html, FACTS_UP_TO_KIB << 10);
    facts_machine(summary->run, first.cpu ? &first.cpu->caps : 0, put_fact, html);
    if (first.cpu)
        put_fact(html, "Microcode",
                 out_put(microcode, sizeof(microcode), "0x%08x", first.cpu->microcode));
    facts_plan(summary->run, first.passes, put_fact, html);
    html_write(html, "</table>\n");
}

static void put_notes(struct summary *summary, uint32_t kind, const char *title)
{
    struct reading *reading = &summary->reading;
    const struct journal_head *head;
    bool has_any = false;

    *reading = reading_start(summary->render);
    while ((head = reading_next(reading))) {
        const char *text = render_note(head, kind);
        struct out *out = html_piece(&summary->html);

        if (!text)
            continue;
        if (!has_any) {
            html_write(&summary->html, title);
            html_write(&summary->html, "<ul>\n");
        }
        has_any = true;
        out_text(out, "<li>");
        html_escape(out, text);
        out_text(out, "</li>\n");
        html_put(&summary->html);
    }
    if (has_any)
        html_write(&summary->html, "</ul>\n");
    html_put_left_out(&summary->html, "line", "run.json");
}

static void put_sums(struct summary *summary)
{
    struct run_sums sums;
    char text[RUN_SUM_WORDS_BYTES];

    render_sums(summary->render, &sums);
    if (sums.count == 0)
        return;
    html_write(&summary->html, "<h2>Sums that must hold</h2>\n<ul>\n");
    html_limit(&summary->html, SUMS_UP_TO_KIB << 10);
    for (unsigned i = 0; i < sums.count; i++) {
        struct out *out = html_piece(&summary->html);
        struct out words = out_buffer(text, sizeof(text));

        render_sum_words(&sums.of[i], &words);
        out_printf(out, "<li%s>", sums.of[i].differs > 0 ? " class=\"bad\"" : "");
        html_escape(out, out_end(&words));
        out_text(out, "</li>\n");
        html_put(&summary->html);
    }
    html_write(&summary->html, "</ul>\n");
    html_put_left_out(&summary->html, "line", "run.json");
}

static void put_run(struct summary *summary)
{
    put_start(summary);
    put_verdict(summary);
    put_machine(summary);
    summary_put_faults(summary);
    html_limit(&summary->html, ERRORS_UP_TO_KIB << 10);
    put_notes(summary, NOTE_ERROR, "<h2>Errors of the plan and the run</h2>\n");
    html_limit(&summary->html, REMARKS_UP_TO_KIB << 10);
    put_notes(summary, NOTE_REMARK, "<h2>Remarks</h2>\n");
    put_sums(summary);
    summary_put_sweeps(summary);
    summary_put_medians(summary);
    summary_put_pairs(summary);
    summary_put_cpus(summary);
    html_write(
        &summary->html,
        "<p class=\"small\">Made by barecount from journal.bin. All rows are in results.csv, "
        "all samples in samples.csv, everything about the machine in run.json; "
        "summary.txt repeats what the console showed.</p>\n</body>\n</html>\n");
}

bool render_summary_html(const struct render *render, struct out *out)
{
    static struct summary summary;

    html_start(&summary.html, out);
    if (summary_look(&summary, render))
        put_run(&summary);
    return out_flush(out);
}
