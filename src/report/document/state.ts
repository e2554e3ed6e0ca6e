import { formatCount, joinList } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Intent, TeamKey } from "../../model/recorded.ts";
import { formatHead, formatLockHolder, type State } from "../../model/state.ts";
import {
  type CallResolved,
  formatIntent,
  type LockReport,
  type OpenCallsReport,
  type StateCopied,
  type StatePruned,
  type StateRebuilt,
  type StateReport,
} from "../state.ts";
import {
  type Content,
  code,
  type Document,
  entry,
  inked,
  part,
  phrase,
  type Section,
  section,
  sentence,
  table,
  words,
} from "./tree.ts";

/** What a subcommand of `roster state` came to. */
export function stateContent(report: StateReport): Content {
  switch (report.did) {
    case "look-at-lock":
    case "unlock":
      return { summary: lockSentences(report).map((text) => sentence(text)) };
    case "list-calls":
      return callsContent(report);
    case "resolve":
      return { summary: resolvedSentences(report).map((text) => sentence(text)) };
    case "copy":
      return { summary: copiedSentences(report).map((text) => sentence(text)) };
    case "set-endpoint":
      return {
        summary: [
          sentence(
            `The state ${report.address} is for ${report.to} now. Its records of ${report.from} are kept for the new endpoint.`,
          ),
          sentence("Next: run `roster plan`. It shows which users do not exist there."),
        ],
      };
    case "prune":
      return prunedContent(report);
    case "rebuild":
      return rebuiltContent(report);
  }
}

function formatOpenCalls(open: number): string {
  return `${formatCount(open, "call has", "calls have")} an unknown outcome. The next plan reads the service to resolve ${open === 1 ? "it" : "them"}. \`roster state resolve\` shows the list.`;
}

function lockSentences({ did, address, holder }: LockReport): readonly string[] {
  if (holder === "nobody") return [`No run holds the lock of ${address}.`];
  // The holder is shown as what stands in the way.
  if (did === "look-at-lock") return [];
  return [
    `roster broke the lock of ${address} (held ${formatLockHolder(holder)}).`,
    "That run cannot save anything any more. If it is still running, it sends no new calls. The next run resolves its open calls by reading.",
  ];
}

function callsContent({ address, calls }: OpenCallsReport): Content {
  if (calls.length === 0) return { summary: [sentence(`No call in ${address} has an unknown outcome.`)] };
  const entries = calls.map(({ id, open, why }) =>
    entry([formatIntent(open.intent)], {
      about: [inked("strong", id)],
      notes: [sentence(`announced at ${open.at} by run ${open.run}`), sentence(`${why}.`)],
    }),
  );
  return {
    sections: [section("Calls with an unknown outcome", { rank: 1 }, entries)],
    next: [
      sentence(
        "plan and apply resolve them by reading, if the service shows the change. If not, look in the service and run:",
      ),
      code("shell", "roster state resolve ID done [PERSON]\nroster state resolve ID not-done [PERSON]"),
    ],
  };
}

function resolvedSentences({ id, open, outcome, stillOpenFor, left }: CallResolved): readonly string[] {
  const result = outcome === "done" ? "done" : "not done";
  const rest = stillOpenFor.length === 0 ? "" : ` The outcome is still unknown for ${joinList(stillOpenFor)}.`;
  return [
    `Recorded as ${result}: ${id}, to ${formatIntent(settledIntent(open.intent, stillOpenFor))}.${rest}`,
    left === 0 ? "No call has an unknown outcome now." : formatOpenCalls(left),
  ];
}

/** What was settled of a call: an addition can stay open for some of its people. */
function settledIntent(intent: Intent, stillOpenFor: readonly EmailKey[]): Intent {
  if (intent.kind !== "add-members") return intent;
  return { ...intent, addresses: intent.addresses.filter((address) => !stillOpenFor.includes(address)) };
}

function copiedSentences({ from, to, open, kept }: StateCopied): readonly string[] {
  return [
    kept ? `The log at ${to} is kept. Nothing was copied.` : `The log was copied to ${to} and read back there.`,
    `The old log at ${from} now refuses every run, so that no call is sent twice.`,
    `From now on, use --state ${to}, ROSTER_STATE or \`state:\` in the settings (in CI: outside the checkout).`,
    ...(open === 0 ? [] : [formatOpenCalls(open)]),
  ];
}

function prunedContent({ address, before, export: file, first, head, forgotten }: StatePruned): Content {
  const people = formatCount(forgotten, "user who was", "users who were");
  const digests = `${people} gone by then: the log has only digests of their addresses. roster does not create them again.`;
  return {
    summary: [
      sentence(`The events ${first} to ${head.position} of ${address}, from before ${before}, are now in ${file}.`),
      ...(forgotten === 0 ? [] : [sentence(digests)]),
    ],
    next: [
      sentence("Keep the file. To check it, run:"),
      code("shell", `roster audit verify --state file:${file} --expect-head ${formatHead(head)}`),
    ],
  };
}

const maxMissing = 20;

/** A state that was rebuilt, and what could not be learned again. */
function rebuiltContent({ address, people, teams, memberships, prefixes, unlearned, missing }: StateRebuilt): Content {
  const parts = [
    formatCount(people, "person", "people"),
    formatCount(teams, "team"),
    formatCount(memberships, "membership"),
    formatCount(prefixes, "key prefix", "key prefixes"),
  ];
  const unknown =
    `The service does not show ${formatCount(missing.length, "user")} of the roster. No record says if they existed before. ` +
    "apply creates them if they are proven absent. Exclude users that must not be created again.";
  const more = missing.length - maxMissing;
  const names = [...missing.slice(0, maxMissing), ...(more > 0 ? [`and ${more} more`] : [])];
  const listed = names.map((name) => [name]);
  return {
    heading: [inked("strong", `Rebuilt ${address} from what the service shows: ${parts.join(", ")}.`)],
    sections: [
      part(
        words("Not shown by the service"),
        missing.length === 0 ? [] : [sentence(unknown, "alarm"), { kind: "list", items: listed }],
      ),
      part(
        words("Not recovered"),
        unlearned.length === 0 ? [] : [{ kind: "list", items: unlearned.map((one) => [one]) }],
        2,
      ),
    ],
    next: [sentence("Next: run `roster plan` and read it carefully before you apply.", "dim")],
  };
}

/** What a state records. */
export function recordedStateDocument(state: State, address: string): Document {
  const { service, serial, lineage, moved, pruned, sequence, applied, planFiles } = state;
  const use = service === undefined ? "No run has used it yet." : `For ${service}.`;
  const people = formatCount(applied?.people.size ?? 0, "person", "people");
  const [file, begun] = [...(planFiles ?? [])].at(-1) ?? [];
  const gone = `It was moved to ${moved?.to} at ${moved?.at}. roster does not use it here any more.`;
  return {
    heading: phrase`State ${address}`,
    about: [
      sentence(serial === 0 ? "The log has no events yet." : `Lineage ${lineage}, position ${serial}. ${use}`),
      ...(moved === undefined ? [] : [sentence(gone, "alarm")]),
      ...(pruned === undefined
        ? []
        : [
            sentence(`It was pruned at ${pruned.at}.`),
            sentence(`The events from before ${pruned.before} are in an export.`),
          ]),
      ...(sequence === undefined ? [] : [sentence(`The highest applied --sequence is ${sequence}.`)]),
      ...(applied === undefined ? [] : [sentence(`The last applied roster (${applied.at}) has ${people}.`)]),
      ...(begun === undefined ? [] : [sentence(`The last applied plan file is ${file}, started at ${begun.at}.`)]),
    ],
    sections: recordedTables(state).filter(({ blocks }) => blocks.length > 0),
    summary: [],
    next: [],
    end: [],
    whole: "roster state show",
  };
}

const noValue = "-";

function recordedTables({ users, teams, memberships, keys, refusals, open }: State): readonly Section[] {
  const roleList = (roles: readonly string[]) => (roles.length === 0 ? "none" : roles.join(", "));
  const nameOf = (team: TeamKey) => teams.get(team)?.name ?? team;
  return [
    recorded("Users", ["person", "account", "identifier", "key", "created"], users.values(), (user) => {
      const { email, account, identifier, createdTeam, createdAt = "seen" } = user;
      const key = createdTeam === undefined ? user.key : `${user.key ?? noValue} (team ${nameOf(createdTeam)})`;
      return [email, account, identifier, key, createdAt];
    }),
    recorded("Teams", ["team", "account", "identifier", "first member"], teams.values(), (team) => {
      const { name, account, identifier, firstMember } = team;
      return [name, account, identifier, firstMember && (users.get(firstMember)?.email ?? firstMember)];
    }),
    recorded("Memberships", ["person", "team", "how", "prefix"], memberships.values(), (one) => [
      users.get(one.address)?.email ?? one.address,
      nameOf(one.team),
      one.how,
      one.prefix,
    ]),
    recorded("Keys with replaced roles", ["prefix", "roles", "at", "read as"], keys.values(), (key) => [
      key.prefix,
      roleList(key.setRoles),
      key.at,
      key.observedRoles && roleList(key.observedRoles),
    ]),
    recorded("Refused requests (not sent again)", ["request", "at", "why"], refusals.values(), (one) => [
      one.asked,
      one.at,
      one.failure.serviceSays === undefined
        ? one.failure.message
        : `${one.failure.message}: ${one.failure.serviceSays}`,
    ]),
    recorded("Calls with an unknown outcome", ["action", "at", "run"], open, (one) => [one.action, one.at, one.run]),
  ];
}

function recorded<T>(
  title: string,
  columns: readonly string[],
  all: Iterable<T>,
  cellsOf: (one: T) => readonly (string | undefined)[],
): Section {
  const rows = [...all].map((one) => cellsOf(one).map((text = noValue) => [text]));
  return part(words(`${title} (${rows.length})`), table(columns, rows));
}
