import type { FoldedAddress } from "../../model/address.ts";
import type { Intent } from "../../model/event.ts";
import { joinSections, type Line, prose, row } from "../text/lines.ts";
import { formatCount, formatList } from "../words.ts";
import { formatIntent } from "./call-words.ts";
import { formatLockHolder } from "./holder-words.ts";
import { rebuiltLines } from "./rebuilt-lines.ts";
import type {
  CallResolved,
  LockReport,
  OpenCall,
  OpenCallsReport,
  ServiceReaddressed,
  StateMoved,
  StateReport,
  StateVerified,
} from "./state-told.ts";

/** What a subcommand of `roster state` came to, for people. */
export function stateLines(told: StateReport): readonly Line[] {
  switch (told.did) {
    case "verify":
      return verifiedLines(told);
    case "look-at-lock":
    case "unlock":
      return lockLines(told);
    case "list-calls":
      return callsLines(told);
    case "resolve":
      return resolvedLines(told);
    case "move":
      return movedLines(told);
    case "readdress":
      return readdressedLines(told);
    case "rebuild":
      return rebuiltLines(told);
  }
}

function verifiedLines({ address, lineage, serial, movedTo, parts, open }: StateVerified): readonly Line[] {
  return [
    row(0, [{ ink: "strong", text: `State ${address}` }]),
    prose(
      0,
      serial === 0
        ? "Nothing was saved yet. All of it can be read."
        : `Lineage ${lineage}, serial ${serial}. All of it can be read.`,
    ),
    ...(movedTo === undefined ? [] : [prose(0, `It was moved to ${movedTo}, and is no longer used here.`, "alarm")]),
    ...parts.map((part) => prose(2, `- ${part}`)),
    ...(open === 0 ? [] : [prose(0, formatOpenCalls(open))]),
  ];
}

function formatOpenCalls(open: number): string {
  return `${formatCount(open, "call has", "calls have")} an outcome that is not known yet: the next plan settles by reading what it can, and \`roster state resolve\` lists them.`;
}

function lockLines({ did, address, holder }: LockReport): readonly Line[] {
  if (holder === "nobody") return [prose(0, `Nobody holds the lock of ${address}.`)];
  // Whoever holds it is told as what stands in the way.
  if (did === "look-at-lock") return [];
  return [
    prose(0, `The lock of ${address} is broken (${formatLockHolder(holder)}).`),
    prose(
      0,
      "That run can record nothing any more: if it still runs, it sends nothing but what it has announced by now, which the next run settles.",
    ),
  ];
}

function callsLines({ address, calls }: OpenCallsReport): readonly Line[] {
  if (calls.length === 0) return [prose(0, `The outcome of every call in ${address} is known.`)];
  return joinSections([
    [row(0, [{ ink: "strong", text: `Calls whose outcome is not known (${calls.length})` }])],
    ...calls.map(callLines),
    [
      prose(
        0,
        "A plan or an apply settles by reading what the service shows. Of the rest, look in the service and say:",
      ),
      row(2, ["roster state resolve ID --done [--identifier ID] [--prefix PREFIX] [--person EMAIL]"]),
      row(2, ["roster state resolve ID --not-done [--person EMAIL]"]),
    ],
  ]);
}

function callLines({ id, open, why }: OpenCall): readonly Line[] {
  return [
    row(2, [{ ink: "strong", text: id }, `  ${formatIntent(open.intent)}`]),
    prose(12, `announced at ${open.at} by run ${open.run}`),
    prose(12, `${why}.`),
  ];
}

function resolvedLines({ id, open, outcome, stillOpenFor, left }: CallResolved): readonly Line[] {
  const said = outcome === "done" ? "done" : "not done";
  const rest = stillOpenFor.length === 0 ? "" : ` It stays open for ${formatList(stillOpenFor)}.`;
  return [
    prose(0, `Recorded as ${said}: ${id}, to ${formatIntent(settledIntent(open.intent, stillOpenFor))}.${rest}`),
    prose(0, left === 0 ? "The outcome of every call is known now." : formatOpenCalls(left)),
  ];
}

/** What was settled of a call: an addition can stay open for some of its people. */
function settledIntent(intent: Intent, stillOpenFor: readonly FoldedAddress[]): Intent {
  if (intent.kind !== "add-members") return intent;
  return { ...intent, addresses: intent.addresses.filter((address) => !stillOpenFor.includes(address)) };
}

function movedLines({ from, to, open }: StateMoved): readonly Line[] {
  return [
    prose(0, `The state was moved to ${to}, and read back there.`),
    prose(
      0,
      `What is left at ${from} says so, and refuses every run: two histories of one service would do things twice.`,
    ),
    prose(0, `From now on name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings.`),
    ...(open === 0 ? [] : [prose(0, formatOpenCalls(open))]),
  ];
}

function readdressedLines({ address, from, to }: ServiceReaddressed): readonly Line[] {
  return [
    prose(0, `The state ${address} is about ${to} now, and what it remembers of ${from} counts for it.`),
    prose(0, "Next: `roster plan`, which says who of them is not there."),
  ];
}
