import { isDate } from "../model/calendar.ts";
import type { Node } from "../yaml/node.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { SourceValue } from "./draft.ts";
import { readText } from "./values.ts";

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
export function readDate(node: Node, what: string, log: DiagnosticsCollector): SourceValue<string> | undefined {
  const isNumber = node.kind === "scalar" && node.type === "number";
  const text = isNumber ? { value: node.text, at: node } : readText(node, what, log);
  if (text === undefined || isDate(text.value)) return text;
  const hint = "Write year, month and day, like `2027-01-31`.";
  log.error(node, "bad-date", `${what} is no date of the calendar: \`${text.value}\`.`, hint);
  return undefined;
}
