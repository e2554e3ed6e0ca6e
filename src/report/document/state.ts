import { formatCount, joinList } from "../../codes/message.ts";
import { formatLockHolder } from "../../log/lock-holder.ts";
import type { EmailKey } from "../../model/address.ts";
import type { OpenIntent } from "../../model/call.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { callIdOf, formatHead, type State, stateFlag } from "../../model/state.ts";
import type { TeamKey } from "../../model/values.ts";
import type { StateReport } from "../json/document-format.ts";
import { firstOf, formatCounts, formatIntent, present } from "./names.ts";
import * as t from "./tree.ts";

export function stateContent(report: StateReport, planAgain?: string): t.Content {
  switch (report.did) {
    case "look-at-lock":
    case "unlock": {
      const { did, address, holder } = report;
      if (holder === undefined) return summary(`No run holds the lock of ${address}.`);
      // The holder is shown as what stands in the way.
      if (did === "look-at-lock") return {};
      return summary(
        `roster broke the lock of ${address} (held ${formatLockHolder(holder)}).`,
        "That run cannot save anything any more. If it is still running, it sends no new calls. The next run reads the service to find out about its open calls.",
      );
    }
    case "list-calls": {
      const { address, calls } = report;
      if (calls.length === 0) return summary(`No call in ${address} has an unknown outcome.`);
      const entries = calls.map(({ id, call, at, run, why }) => {
        const notes = [t.sentence(`run ${run} sent it at ${at}`), t.sentence(`${why}.`)];
        return t.entry([call], { about: [t.inked("strong", id)], notes });
      });
      const command = (said: string) => t.code("shell", `roster state resolve ${stateFlag(address)} ID ${said}`);
      const next = [
        t.sentence("The next plan or apply reads the service to find out. To decide yourself, look in the service."),
        t.sentence("If the service shows the change, run this with the ID of the call:"),
        command("done"),
        t.sentence("If only some people were added, write their addresses after `done`."),
        t.sentence("If the change is not there:"),
        command("not-done"),
      ];
      return { sections: [t.section("Calls with an unknown outcome", entries)], next };
    }
    case "resolve": {
      const { address, id, call, outcome, stillOpenFor, left } = report;
      const rest = stillOpenFor.length === 0 ? "" : ` The outcome is still unknown for ${joinList(stillOpenFor)}.`;
      return summary(
        `Recorded as ${outcome === "done" ? "done" : "not done"}: ${id}, to ${call}.${rest}`,
        left === 0 ? "No call has an unknown outcome now." : formatOpenCalls(left, address),
      );
    }
    case "copy": {
      const { from, to, open, kept } = report;
      return summary(
        kept ? `The log at ${to} is kept. Nothing was copied.` : `The log was copied to ${to}, and checked there.`,
        `roster does not use the old log at ${from} any more: two logs in use could send a call twice.`,
        `Use the new log: --state ${to}, or the same value in ROSTER_STATE or in \`state:\` of the settings file.`,
        ...(open === 0 ? [] : [formatOpenCalls(open, to)]),
      );
    }
    case "set-endpoint":
      return summary(
        `The log at ${report.address} is for ${report.to} now. roster expects there the same users, teams and keys as at ${report.from}.`,
        `Next: run \`roster plan ${stateFlag(report.address)}\`. It shows which users do not exist at ${report.to}.`,
      );
    case "prune": {
      const { address, before, export: file, first, head, forgotten } = report;
      const people = formatCount(forgotten, "user who was", "users who were");
      const digests = `${people} gone by then: the log has only digests of their addresses. roster does not create them again.`;
      const events = `The events ${first} to ${head.position} of ${address}, from before ${before}, were moved to ${file}.`;
      const check = `roster audit verify ${stateFlag(`file:${file}`)} --expect-head ${formatHead(head)}`;
      const next = [t.sentence("Keep the file. To check it, run:"), t.code("shell", check)];
      return { ...summary(events, ...(forgotten === 0 ? [] : [digests])), next };
    }
    case "rebuild":
      return rebuiltContent(report, planAgain);
  }
}

function summary(...texts: readonly string[]): t.Content {
  return { summary: texts.map((text) => t.sentence(text)) };
}

function formatOpenCalls(open: number, address: string): string {
  return `${formatCount(open, "call has", "calls have")} an unknown outcome. The next plan reads the service to find out. For a list, run \`roster state resolve ${stateFlag(address)}\`.`;
}

/** Why reading could not tell what became of a call, by what the service was last found to show; without a trailing stop. */
export function explainOpenCall({ intent, accepted }: OpenIntent, state: Pick<State, "capabilities" | "queues">) {
  if (accepted === true) return "the service accepted the call for later, and does not show the change yet";
  if (intent.kind === "replace-roles") return "no plan has compared the roles of the key yet. The next plan does";
  if (state.queues !== undefined)
    return "the service does not show the change yet, and it accepts some calls for later";
  if (intent.kind === "add-members" && state.capabilities?.learned.teamsOnKeys !== "shown")
    return "the service does not show who is in which team";
  return "the service does not show the change yet, but may show it some minutes later";
}

/** What of a call was resolved, and what has an unknown outcome after that: an addition can stay open for some of its people. */
export function describeResolution(resolved: OpenIntent, { open }: State) {
  const { intent } = resolved;
  const rest = open.find((one) => callIdOf(one) === callIdOf(resolved))?.intent;
  const stillOpenFor = rest?.kind === "add-members" ? rest.addresses : [];
  const call = formatIntent(
    intent.kind === "add-members"
      ? { ...intent, addresses: intent.addresses.filter((one) => !stillOpenFor.includes(one)) }
      : intent,
  );
  return { call, stillOpenFor, left: open.length };
}

function rebuiltContent(report: StateReport & { readonly did: "rebuild" }, planAgain = "roster plan"): t.Content {
  const { address, people, teams, memberships, prefixes, unlearned, missing } = report;
  const parts = formatCounts([people, "user"], [teams, "team"], [memberships, "membership"], [prefixes, "key"]);
  const unknown =
    `The service does not show ${formatCount(missing.length, "user")} of the roster. No record says if they existed before. ` +
    "`roster apply` creates them if they are proven absent. Exclude users that must not be created again.";
  const list = (texts: readonly string[]) => t.lines(texts.map((text) => t.line(0, [`- ${text}`])));
  const names = list(firstOf(missing, 20, (more) => `and ${more} more`));
  return {
    heading: [t.inked("strong", `Rebuilt ${address} from what the service shows: ${parts.join(", ")}.`)],
    sections: [
      t.part(t.words("Not shown by the service"), missing.length === 0 ? [] : [t.sentence(unknown, "alarm"), ...names]),
      t.part(t.words("Not recovered"), list(unlearned)),
    ],
    next: [t.sentence(`Next: run \`${planAgain}\`, and read it carefully before you apply.`, "dim")],
  };
}

/** How much of a roster a rebuilt state has, who is not shown, and what could not be recovered. */
export function describeRebuild(
  { teams: wanted, users: wantedUsers }: Roster,
  { capabilities, everyone }: Pick<Snapshot, "capabilities" | "everyone">,
  { users, teams, memberships }: State,
) {
  const asked = wanted.reduce((count, { members }) => count + members.length, 0);
  const notShown = `${asked - memberships.size} of ${asked} memberships of the roster: the service does not show them now.`;
  const noPrefixes = "Key prefixes: the service does not show them. Write them into the roster (`key:`).";
  return {
    people: users.size,
    teams: new Set([...teams.keys(), ...[...memberships.values()].map(({ team }) => team)]).size,
    memberships: memberships.size,
    prefixes: memberships.size + [...users.values()].filter(({ key }) => key !== undefined).length,
    missing: [...wantedUsers.values()].filter(({ address }) => !users.has(address)).map(({ email }) => email),
    unlearned: present(
      everyone.read === "incomplete" && `Some users: the list of users is incomplete (${everyone.why}).`,
      capabilities.keysOnUsers !== "shown" && noPrefixes,
      capabilities.teamsOnKeys !== "shown" && "Memberships: the service does not show who is in which team.",
      memberships.size < asked && notShown,
      "When roster created each user and added each member.",
      "Users and members that were removed from the service. `roster apply` may create or invite them again.",
      "Which calls were refused, the last applied --sequence, and when each difference was first seen.",
      "Calls in progress when the log was lost. Their changes may appear in the next minutes, so plan again before you apply.",
    ),
  };
}

export function recordedStateDocument(state: State, address: string): t.Document {
  const { service, serial, lineage, moved, pruned, sequence, applied, planFiles } = state;
  const use = service === undefined ? "No service is recorded yet." : `Service: ${service}.`;
  const people = formatCount(applied?.people.size ?? 0, "user");
  const lastFile = planFiles?.at(-1);
  const gone = `The log was moved to ${moved?.to} at ${moved?.at}. roster does not use it here any more.`;
  const facts = present(
    t.sentence(serial === 0 ? "The log has no events yet." : `Log ID: ${lineage}. Last event: ${serial}. ${use}`),
    moved && t.sentence(gone, "alarm"),
    pruned &&
      t.sentence(`The log was pruned at ${pruned.at}. The events from before ${pruned.before} are in an export.`),
    sequence !== undefined && t.sentence(`The highest applied --sequence is ${sequence}.`),
    applied && t.sentence(`The roster that was applied last, at ${applied.at}, has ${people}.`),
    lastFile && t.sentence(`The last applied plan file is ${lastFile.file}, started at ${lastFile.at}.`),
  );
  const { users, teams, memberships, keys, refusals, open } = state;
  const roleList = (roles: readonly string[]) => (roles.length === 0 ? "none" : roles.join(", "));
  const nameOf = (team: TeamKey) => teams.get(team)?.name ?? team;
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  type Cells = readonly (string | undefined)[];
  const recorded = <T>(title: string, columns: readonly string[], all: Iterable<T>, cellsOf: (one: T) => Cells) => {
    const rows = [...all].map((one) => cellsOf(one).map((text = "-") => [text]));
    return t.part(t.words(`${title} (${rows.length})`), t.table(columns, rows));
  };
  const sections = [
    t.part(undefined, facts),
    recorded("Users", ["person", "account", "identifier", "key", "created by roster"], users.values(), (user) => {
      const { email, account, identifier, createdTeam, createdAt = "no" } = user;
      const key = createdTeam === undefined ? user.key : `${user.key ?? "unknown"} (team ${nameOf(createdTeam)})`;
      return [email, account, identifier, key, createdAt];
    }),
    recorded("Teams", ["team", "account", "identifier", "created with"], teams.values(), (team) => {
      const { name, account, identifier, firstMember } = team;
      return [name, account, identifier, firstMember && emailOf(firstMember)];
    }),
    recorded("Memberships", ["person", "team", "how it began", "key"], memberships.values(), (one) => {
      const how = { seen: "found in the service", added: "added", created: "created with the team" }[one.how];
      return [emailOf(one.address), nameOf(one.team), how, one.prefix];
    }),
    recorded("Keys with roles set or checked", ["key", "roles", "at", "roles last read"], keys.values(), (key) => {
      return [key.prefix, roleList(key.setRoles), key.at, key.observedRoles && roleList(key.observedRoles)];
    }),
    recorded("Refused requests (not sent again)", ["request", "at", "why"], refusals.values(), (refusal) => {
      const { message, serviceSays } = refusal.failure;
      return [refusal.asked, refusal.at, serviceSays === undefined ? message : `${message}: ${serviceSays}`];
    }),
    recorded("Calls with an unknown outcome", ["ID", "call", "sent at", "run"], open, (one) => {
      return [callIdOf(one), formatIntent(one.intent), one.at, one.run];
    }),
  ];
  return t.toDocument({ heading: t.phrase`Log at ${address}`, sections }, "roster state show");
}
