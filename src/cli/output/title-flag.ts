import { type Command, Option } from "commander";
import type { FormatName } from "../../report/formats.ts";
import { formatList } from "../../report/phrases.ts";
import type { OutputFlags } from "./output-flags.ts";

/** The formats in which a title is told. */
const titledFormats: readonly FormatName[] = ["markdown", "github", "prometheus"];

/** Gives a command a title for what it tells, where one of its formats tells it. Refused where none of those is wished for. */
export function withTitle(command: Command, known: readonly FormatName[]): Command {
  const telling = titledFormats.filter((name) => known.includes(name));
  if (telling.length === 0) return command;
  const meaning = "what Markdown and metrics call this roster, where several are told in one place";
  return command.addOption(new Option("--title <text>", meaning)).hook("preAction", (_, chosen) => {
    const { title, format, report = [] } = chosen.optsWithGlobals<OutputFlags>();
    if (title === undefined || [format, ...report.map((one) => one.format)].some(isTitled)) return;
    const message = `error: --title is told in ${formatList(telling)} alone, and neither --format nor --report asks for one.`;
    chosen.error(message, { code: "roster.title" });
  });
}

function isTitled(format: FormatName): boolean {
  return titledFormats.includes(format);
}
