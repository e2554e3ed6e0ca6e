import { joinList } from "../../codes/message.ts";
import { formatPlace } from "../../model/fact.ts";
import type { DoctorCheck, DoctorReport } from "../doctor/observations.ts";
import { formatCounts, truncateText } from "../phrases.ts";
import { type Content, entriesOf, entry, type Ink, inked, part, phrase, sentence, table, words } from "./tree.ts";

const checkInks: Readonly<Record<DoctorCheck["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** The settings that are set, then what the doctor checked. What is fine is one line; all else says what was asked, and what to do. */
export function doctorContent({ service, settings, checks }: DoctorReport): Content {
  // The whole value is in the JSON document.
  const rows = settings.map(({ name, value, from }) => {
    return [[name], [truncateText(value, 60)], [from.kind === "settings" ? formatPlace(from.place) : from.name]];
  });
  const shown = { title: words("Settings"), is: "folded", blocks: table(["setting", "value", "from"], rows) } as const;
  const entries = checks.map(({ check, mark, asked, came, means }) =>
    entry([`${asked}: ${came}`], {
      about: [inked(checkInks[mark], mark.padEnd(7)), `  ${check}`],
      notes: means === undefined ? [] : [sentence(means)],
      labels: [mark],
    }),
  );
  const sections = [shown, part(undefined, entriesOf(entries))];
  if (service === undefined) return { sections };
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const found = formatCounts([count("problem"), "problem"], [count("notice"), "notice"]);
  const result = found.length === 0 ? "No problems. You can make a plan" : `Found ${joinList(found)}`;
  const summary = [sentence(`${result}. doctor changed nothing.`, "strong")];
  return { heading: phrase`The service at ${service}`, summary, sections };
}
