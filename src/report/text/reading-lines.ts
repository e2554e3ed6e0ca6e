import type { Capabilities } from "../../model/capabilities.ts";
import type { Plan } from "../../model/plan.ts";
import type { UserListStatus } from "../../model/snapshot.ts";
import type { ReadSummary } from "../outcome.ts";
import { formatCount } from "../words.ts";
import { type Line, prose, row } from "./lines.ts";

/** What was read, from where, and what was not. */
export function readingLines(title: string, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  const head = row(0, [{ ink: "strong", text: `${title} ${plan.service}` }]);
  if (reading === undefined) return [head];
  const requests = formatCount(plan.calls.reads, "request");
  return [
    head,
    ...snapshotNoticeLines(reading),
    prose(0, `Read at ${reading.readAt} with ${requests}. ${formatCompleteness(reading.everyone)}`, "dim"),
    ...hiddenFieldLines(reading.capabilities),
  ];
}

function snapshotNoticeLines(reading: ReadSummary): readonly Line[] {
  const words = formatSnapshotNotice(reading);
  return words === undefined ? [] : [prose(0, words, "strong")];
}

/** That a plan was made of a snapshot, in sentences; nothing where the service was read for it. */
export function formatSnapshotNotice({ kept }: ReadSummary): string | undefined {
  if (kept === undefined) return undefined;
  const hidden =
    kept.addresses === "plain"
      ? ""
      : " Its addresses are hashed: people whom the roster does not name are shown as someone-…, and names were not compared.";
  return `A preview that was made of a snapshot, and is not applied.${hidden}`;
}

/** Whether everybody was read, in a sentence. */
export function formatCompleteness(everyone: UserListStatus): string {
  switch (everyone.read) {
    case "complete":
      return "Everyone was read.";
    case "incomplete":
      return `The list of users is not complete: ${everyone.why}.`;
    case "not-read":
      return "People the roster does not name were not read.";
  }
}

function hiddenFieldLines(capabilities: Capabilities): readonly Line[] {
  const words = formatHiddenFields(capabilities);
  return words === undefined ? [] : [prose(0, words, "dim")];
}

/** What the service does not show, in a sentence; nothing where it shows what there is. */
export function formatHiddenFields(capabilities: Capabilities): string | undefined {
  const hidden = [
    ...(capabilities.keysOnUsers === "hidden" ? ["the keys of users"] : []),
    ...(capabilities.rolesOnKeys === "hidden" ? ["the roles of keys"] : []),
    ...(capabilities.teamsOnKeys === "hidden" ? ["the teams of keys"] : []),
  ];
  return hidden.length === 0 ? undefined : `The service does not show ${hidden.join(", ")}.`;
}
