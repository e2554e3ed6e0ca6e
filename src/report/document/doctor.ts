import { joinList } from "../../codes/message.ts";
import { formatPlace } from "../../model/fact.ts";
import type { DoctorCheck, DoctorReport, SettingSource } from "../doctor/observations.ts";
import { formatCounts, truncateText } from "../phrases.ts";
import {
  type Content,
  type Entry,
  entriesOf,
  entry,
  type Ink,
  inked,
  part,
  phrase,
  type Section,
  sentence,
  table,
  words,
} from "./tree.ts";

const checkInks: Readonly<Record<DoctorCheck["mark"], Ink>> = { ok: "add", notice: "change", problem: "alarm" };

/** The settings that are set, then what the doctor checked. What is fine is one line; all else says what was asked, and what to do. */
export function doctorContent({ service, settings, checks }: DoctorReport): Content {
  const shown: Section = {
    title: words("Settings"),
    is: "folded",
    blocks: table(
      ["setting", "value", "from"],
      // The whole value is in the JSON document.
      settings.map(({ name, value, from }) => [[name], [truncateText(value, 60)], [formatSource(from)]]),
    ),
  };
  const found = service === undefined ? [] : [sentence(formatCheckSummary(checks), "strong")];
  return {
    ...(service === undefined ? {} : { heading: phrase`The service at ${service}` }),
    summary: found,
    sections: [shown, part(undefined, entriesOf(checks.map(checkEntry)))],
  };
}

function checkEntry({ check, mark, asked, came, means }: DoctorCheck): Entry {
  return entry([`${asked}: ${came}`], {
    about: [inked(checkInks[mark], mark.padEnd(7)), `  ${check}`],
    notes: mark === "ok" ? [] : [sentence(means)],
    labels: [mark],
    details: () => [sentence(means)],
  });
}

function formatCheckSummary(checks: readonly DoctorCheck[]): string {
  const count = (mark: DoctorCheck["mark"]) => checks.filter((check) => check.mark === mark).length;
  const parts = formatCounts([count("problem"), "problem"], [count("notice"), "notice"]);
  const found = parts.length === 0 ? "No problems. You can make a plan" : `Found ${joinList(parts)}`;
  return `${found}. doctor changed nothing.`;
}

function formatSource(source: SettingSource): string {
  return source.kind === "settings" ? formatPlace(source.place) : source.name;
}
