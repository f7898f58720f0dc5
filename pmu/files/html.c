/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes HTML with a size limit. */
#include "pmu/base/text.h"
#include "pmu/files/html.h"

#define ASCII_END      0x7fu
#define LEFT_OUT_BYTES 160u

void html_start(struct html *html, struct out *out)
{
    html->out = out;
    html->bytes = html->limit = 0;
    html->left_out = 0;
}

void html_escape(struct out *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' || c >= ASCII_END)
            out_printf(out, "&#%u;", c); /* as Latin-1 */
        else
            out_char(out, c == '\n' ? '\n' : text_printable(c));
    }
}

void html_write(struct html *html, const char *markup)
{
    out_text(html->out, markup);
    html->bytes += text_length(markup);
}

void html_limit(struct html *html, uint64_t limit)
{
    html->limit = limit;
    html->left_out = 0;
}

struct out *html_piece(struct html *html)
{
    html->piece = out_buffer(html->text, sizeof(html->text));
    return &html->piece;
}

void html_put_left_out(struct html *html, const char *what, const char *file)
{
    char text[LEFT_OUT_BYTES], number[COUNTED_BYTES];

    if (html->left_out > 0)
        html_write(html, out_put(text, sizeof(text),
                                 "<p>Left out to keep this file small: <b>%s</b>; see %s.</p>\n",
                                 counted(html->left_out, what, number), file));
    html->left_out = 0;
}

bool html_put(struct html *html)
{
    const char *text = out_end(&html->piece);

    if (html->piece.failed || html->bytes + html->piece.used > html->limit) {
        html->left_out++;
        return false;
    }
    html_write(html, text);
    return true;
}
