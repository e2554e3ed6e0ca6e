import type { EmailKey } from "../../model/address.ts";
import type { Intent } from "../../model/recorded.ts";
import { formatHead, formatLockHolder, type State } from "../../model/state.ts";
import { formatCount, formatList } from "../phrases.ts";
import {
  type CallResolved,
  type EndpointSet,
  formatIntent,
  type LockReport,
  type OpenCall,
  type OpenCallsReport,
  type StateCopied,
  type StatePruned,
  type StateRebuilt,
  type StateReport,
} from "../state.ts";
import { headed, heading, joinSections, type Line, prose, row, type Table } from "./blocks.ts";

/** What a subcommand of `roster state` came to, for people. */
export function stateLines(report: StateReport): readonly Line[] {
  switch (report.did) {
    case "look-at-lock":
    case "unlock":
      return lockLines(report);
    case "list-calls":
      return callsLines(report);
    case "resolve":
      return resolvedLines(report);
    case "copy":
      return copiedLines(report);
    case "set-endpoint":
      return endpointLines(report);
    case "prune":
      return prunedLines(report);
    case "rebuild":
      return rebuiltLines(report);
  }
}

function formatOpenCalls(open: number): string {
  return `${formatCount(open, "call has", "calls have")} an unknown outcome. The next plan reads the service to resolve ${open === 1 ? "it" : "them"}. \`roster state resolve\` shows the list.`;
}

function lockLines({ did, address, holder }: LockReport): readonly Line[] {
  if (holder === "nobody") return [prose(0, `No run holds the lock of ${address}.`)];
  // The holder is shown as what stands in the way.
  if (did === "look-at-lock") return [];
  return [
    prose(0, `roster broke the lock of ${address} (held ${formatLockHolder(holder)}).`),
    prose(
      0,
      "That run cannot save anything any more. If it is still running, it sends no new calls. The next run resolves its open calls by reading.",
    ),
  ];
}

function callsLines({ address, calls }: OpenCallsReport): readonly Line[] {
  if (calls.length === 0) return [prose(0, `No call in ${address} has an unknown outcome.`)];
  return joinSections([
    [heading(`Calls with an unknown outcome (${calls.length})`)],
    ...calls.map(callLines),
    [
      prose(
        0,
        "plan and apply resolve them by reading, if the service shows the change. If not, look in the service and run:",
      ),
      row(2, ["roster state resolve ID done [PERSON]"]),
      row(2, ["roster state resolve ID not-done [PERSON]"]),
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
  const result = outcome === "done" ? "done" : "not done";
  const rest = stillOpenFor.length === 0 ? "" : ` The outcome is still unknown for ${formatList(stillOpenFor)}.`;
  return [
    prose(0, `Recorded as ${result}: ${id}, to ${formatIntent(settledIntent(open.intent, stillOpenFor))}.${rest}`),
    prose(0, left === 0 ? "No call has an unknown outcome now." : formatOpenCalls(left)),
  ];
}

/** What was settled of a call: an addition can stay open for some of its people. */
function settledIntent(intent: Intent, stillOpenFor: readonly EmailKey[]): Intent {
  if (intent.kind !== "add-members") return intent;
  return { ...intent, addresses: intent.addresses.filter((address) => !stillOpenFor.includes(address)) };
}

function copiedLines({ from, to, open, kept }: StateCopied): readonly Line[] {
  return [
    prose(
      0,
      kept ? `The log at ${to} is kept. Nothing was copied.` : `The log was copied to ${to} and read back there.`,
    ),
    prose(0, `The old log at ${from} now refuses every run, so that no call is sent twice.`),
    prose(
      0,
      `From now on, use --state ${to}, ROSTER_STATE or \`state:\` in the settings (in CI: outside the checkout).`,
    ),
    ...(open === 0 ? [] : [prose(0, formatOpenCalls(open))]),
  ];
}

function prunedLines({ address, before, export: file, first, head, forgotten }: StatePruned): readonly Line[] {
  const people = formatCount(forgotten, "user who was", "users who were");
  return [
    prose(0, `The events ${first} to ${head.position} of ${address}, from before ${before}, are now in ${file}.`),
    ...(forgotten === 0
      ? []
      : [
          prose(
            0,
            `${people} gone by then: the log has only digests of their addresses. roster does not create them again.`,
          ),
        ]),
    prose(0, "Keep the file. To check it, run:"),
    row(2, [`roster audit verify --state file:${file} --expect-head ${formatHead(head)}`]),
  ];
}

function endpointLines({ address, from, to }: EndpointSet): readonly Line[] {
  return [
    prose(0, `The state ${address} is for ${to} now. Its records of ${from} are kept for the new endpoint.`),
    prose(0, "Next: run `roster plan`. It shows which users do not exist there."),
  ];
}

const maxMissing = 20;

/** A state that was rebuilt, and what could not be learned again. */
function rebuiltLines(report: StateRebuilt): readonly Line[] {
  const { address, people, teams, memberships, prefixes, unlearned } = report;
  const parts = [
    formatCount(people, "person", "people"),
    formatCount(teams, "team"),
    formatCount(memberships, "membership"),
    formatCount(prefixes, "key prefix", "key prefixes"),
  ];
  return joinSections([
    [prose(0, `Rebuilt ${address} from what the service shows: ${parts.join(", ")}.`, "strong")],
    missingLines(report),
    [prose(0, "Not recovered:"), ...unlearned.map((one) => prose(2, `- ${one}`))],
    [prose(0, "Next: run `roster plan` and read it carefully before you apply.", "dim")],
  ]);
}

function missingLines({ missing }: StateRebuilt): readonly Line[] {
  if (missing.length === 0) return [];
  const more = missing.length - maxMissing;
  return [
    prose(
      0,
      `The service does not show ${formatCount(missing.length, "user")} of the roster. No record says if they existed before. ` +
        "apply creates them if they are proven absent. Exclude users that must not be created again.",
      "alarm",
    ),
    ...missing.slice(0, maxMissing).map((email) => prose(2, `- ${email}`)),
    ...(more > 0 ? [prose(2, `- and ${more} more`)] : []),
  ];
}

/** What a state records, for people. */
export function recordedStateLines(state: State, address: string): readonly (Line | Table)[] {
  return joinSections<Table>([
    stateHeadLines(state, address),
    stateSection("Users", ["person", "account", "identifier", "key", "created"], userRows(state)),
    stateSection("Teams", ["team", "account", "identifier", "first member"], teamRows(state)),
    stateSection("Memberships", ["person", "team", "how", "prefix"], membershipRows(state)),
    stateSection("Keys with replaced roles", ["prefix", "roles", "at", "read as"], keyRows(state)),
    stateSection("Refused requests (not sent again)", ["request", "at", "why"], refusalRows(state)),
    stateSection("Calls with an unknown outcome", ["action", "at", "run"], openRows(state)),
  ]);
}

function lastRosterLines({ applied }: State): readonly Line[] {
  if (applied === undefined) return [];
  const people = formatCount(applied.people.size, "person", "people");
  return [prose(0, `The last applied roster (${applied.at}) has ${people}.`)];
}

function lastPlanFileLines({ planFiles }: State): readonly Line[] {
  const [id, begun] = [...(planFiles ?? [])].at(-1) ?? [];
  return begun === undefined ? [] : [prose(0, `The last applied plan file is ${id}, started at ${begun.at}.`)];
}

type StateRows = readonly (readonly string[])[];

const noValue = "-";

function stateHeadLines(state: State, address: string): readonly Line[] {
  const service = state.service === undefined ? "No run has used it yet." : `For ${state.service}.`;
  return [
    heading(`State ${address}`),
    prose(
      0,
      state.serial === 0
        ? "The log has no events yet."
        : `Lineage ${state.lineage}, position ${state.serial}. ${service}`,
    ),
    ...(state.moved === undefined
      ? []
      : [
          prose(
            0,
            `It was moved to ${state.moved.to} at ${state.moved.at}. roster does not use it here any more.`,
            "alarm",
          ),
        ]),
    ...(state.sequence === undefined ? [] : [prose(0, `The highest applied --sequence is ${state.sequence}.`)]),
    ...lastRosterLines(state),
    ...lastPlanFileLines(state),
  ];
}

function stateSection(title: string, columns: readonly string[], rows: StateRows): readonly (Line | Table)[] {
  if (rows.length === 0) return [];
  const cells = rows.map((texts) => texts.map((text) => [text]));
  return headed(`${title} (${rows.length})`, [{ kind: "table", columns, rows: cells }]);
}

function userRows({ users, teams }: State): StateRows {
  return [...users.values()].map((user) => {
    const createdTeam =
      user.createdTeam === undefined ? undefined : (teams.get(user.createdTeam)?.name ?? user.createdTeam);
    const key = createdTeam === undefined ? user.key : `${user.key ?? noValue} (team ${createdTeam})`;
    return [user.email, user.account, user.identifier ?? noValue, key ?? noValue, user.createdAt ?? "seen"];
  });
}

function teamRows({ teams, users }: State): StateRows {
  return [...teams.values()].map((team) => {
    const firstMember =
      team.firstMember === undefined ? noValue : (users.get(team.firstMember)?.email ?? team.firstMember);
    return [team.name, team.account, team.identifier ?? noValue, firstMember];
  });
}

function refusalRows({ refusals }: State): StateRows {
  return [...refusals.values()].map(({ asked, at, failure: { message, serviceSays } }) => [
    asked,
    at,
    serviceSays === undefined ? message : `${message}: ${serviceSays}`,
  ]);
}

function membershipRows({ memberships, users, teams }: State): StateRows {
  return [...memberships.values()].map(({ address, team, how, prefix }) => [
    users.get(address)?.email ?? address,
    teams.get(team)?.name ?? team,
    how,
    prefix ?? noValue,
  ]);
}

function keyRows({ keys }: State): StateRows {
  return [...keys.values()].map(({ prefix, setRoles, at, observedRoles }) => [
    prefix,
    formatRoleList(setRoles),
    at,
    observedRoles === undefined ? noValue : formatRoleList(observedRoles),
  ]);
}

function openRows({ open }: State): StateRows {
  return open.map(({ action, at, run }) => [action, at, run]);
}

function formatRoleList(roles: readonly string[]): string {
  return roles.length === 0 ? "none" : roles.join(", ");
}
