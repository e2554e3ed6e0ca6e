import { formatCount, joinList } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import type { OpenIntent } from "../../model/call.ts";
import type { Capabilities } from "../../model/capabilities.ts";
import type { UserListStatus } from "../../model/snapshot.ts";
import { formatHead, formatLockHolder, type State } from "../../model/state.ts";
import type { TeamKey } from "../../model/values.ts";
import type { StateReport } from "../json/document-format.ts";
import { firstOf, present } from "./names.ts";
import type { Content, Document, Section } from "./tree.ts";
import * as t from "./tree.ts";

export function stateContent(report: StateReport): Content {
  switch (report.did) {
    case "look-at-lock":
    case "unlock": {
      const { did, address, holder } = report;
      if (holder === undefined) return summary(`No run holds the lock of ${address}.`);
      // The holder is shown as what stands in the way.
      if (did === "look-at-lock") return {};
      return summary(
        `roster broke the lock of ${address} (held ${formatLockHolder(holder)}).`,
        "That run cannot save anything any more. If it is still running, it sends no new calls. The next run resolves its open calls by reading.",
      );
    }
    case "list-calls": {
      const { address, calls } = report;
      if (calls.length === 0) return summary(`No call in ${address} has an unknown outcome.`);
      const entries = calls.map(({ id, call, at, run, why }) => {
        const notes = [t.sentence(`announced at ${at} by run ${run}`), t.sentence(`${why}.`)];
        return t.entry([call], { about: [t.inked("strong", id)], notes });
      });
      const hint =
        "plan and apply resolve them by reading, if the service shows the change. If not, look in the service and run:";
      const commands = "roster state resolve ID done [PERSON]\nroster state resolve ID not-done [PERSON]";
      const sections = [t.section("Calls with an unknown outcome", entries)];
      return { sections, next: [t.sentence(hint), t.code("shell", commands)] };
    }
    case "resolve": {
      const { id, call, outcome, stillOpenFor, left } = report;
      const rest = stillOpenFor.length === 0 ? "" : ` The outcome is still unknown for ${joinList(stillOpenFor)}.`;
      return summary(
        `Recorded as ${outcome === "done" ? "done" : "not done"}: ${id}, to ${call}.${rest}`,
        left === 0 ? "No call has an unknown outcome now." : formatOpenCalls(left),
      );
    }
    case "copy": {
      const { from, to, open, kept } = report;
      return summary(
        kept ? `The log at ${to} is kept. Nothing was copied.` : `The log was copied to ${to} and read back there.`,
        `The old log at ${from} now refuses every run, so that no call is sent twice.`,
        `Use the new place: --state ${to}, or the same value in ROSTER_STATE or in \`state:\` of the settings file. In CI, roster refuses \`state\` from a file in the repository.`,
        ...(open === 0 ? [] : [formatOpenCalls(open)]),
      );
    }
    case "set-endpoint":
      return summary(
        `The state ${report.address} is for ${report.to} now. Its records of ${report.from} are kept for the new endpoint.`,
        "Next: run `roster plan`. It shows which users do not exist there.",
      );
    case "prune": {
      const { address, before, export: file, first, head, forgotten } = report;
      const people = formatCount(forgotten, "user who was", "users who were");
      const digests = `${people} gone by then: the log has only digests of their addresses. roster does not create them again.`;
      const events = `The events ${first} to ${head.position} of ${address}, from before ${before}, are now in ${file}.`;
      const check = `roster audit verify --state file:${file} --expect-head ${formatHead(head)}`;
      const next = [t.sentence("Keep the file. To check it, run:"), t.code("shell", check)];
      return { ...summary(events, ...(forgotten === 0 ? [] : [digests])), next };
    }
    case "rebuild":
      return rebuiltContent(report);
  }
}

function summary(...texts: readonly string[]): Content {
  return { summary: texts.map((text) => t.sentence(text)) };
}

function formatOpenCalls(open: number): string {
  return `${formatCount(open, "call has", "calls have")} an unknown outcome. The next plan reads the service to resolve ${open === 1 ? "it" : "them"}. \`roster state resolve\` shows the list.`;
}

/** Why reading could not tell what became of a call, by what the service was last found to show; without a trailing stop. */
export function explainOpenCall({ intent, accepted }: OpenIntent, state: Pick<State, "capabilities" | "queues">) {
  if (accepted === true) return "the service accepted the call for later, and does not show the change yet";
  if (intent.kind === "replace-roles") return "no plan has compared the roles of the key yet. The next plan does";
  if (state.queues !== undefined)
    return "the service does not show the change yet, and it accepts some calls for later";
  if (intent.kind === "add-members" && state.capabilities?.learned.teamsOnKeys !== "shown")
    return "the service does not show who is in which team";
  return "the service does not show the change yet, but may show it until the consistency window ends";
}

function rebuiltContent(report: StateReport & { readonly did: "rebuild" }): Content {
  const { address, people, teams, memberships, prefixes, unlearned, missing } = report;
  const known = [formatCount(people, "person", "people"), formatCount(teams, "team")];
  const parts = [...known, formatCount(memberships, "membership"), formatCount(prefixes, "key prefix", "key prefixes")];
  const unknown =
    `The service does not show ${formatCount(missing.length, "user")} of the roster. No record says if they existed before. ` +
    "apply creates them if they are proven absent. Exclude users that must not be created again.";
  const list = (texts: readonly string[]) => t.lines(texts.map((text) => t.line(0, [`- ${text}`])));
  const names = list(firstOf(missing, 20, (more) => `and ${more} more`));
  return {
    heading: [t.inked("strong", `Rebuilt ${address} from what the service shows: ${parts.join(", ")}.`)],
    sections: [
      t.part(t.words("Not shown by the service"), missing.length === 0 ? [] : [t.sentence(unknown, "alarm"), ...names]),
      t.part(t.words("Not recovered"), list(unlearned)),
    ],
    next: [t.sentence("Next: run `roster plan` and read it carefully before you apply.", "dim")],
  };
}

/** What a rebuilt state lacks, one sentence each: what the service does not show, and what only the lost state knew. */
export function unrecoverableFacts(
  { keysOnUsers, teamsOnKeys }: Capabilities,
  everyone: UserListStatus,
  members: { readonly asked: number; readonly shown: number },
): readonly string[] {
  const hidden = members.asked - members.shown;
  const notShown = `${hidden} of ${members.asked} memberships of the roster: the service does not show them now.`;
  const noPrefixes = "Key prefixes: the service does not show them. Write them into the roster (`key:`).";
  const noTeams = "Memberships: the service does not show who is in which team.";
  return present(
    everyone.read === "incomplete" && `Some users: the list of users is incomplete (${everyone.why}).`,
    keysOnUsers !== "shown" && noPrefixes,
    teamsOnKeys !== "shown" && noTeams,
    hidden > 0 && notShown,
    "The details of earlier creations.",
    "Users and members that roster created and that are gone now. apply may create or invite them again.",
    "Refused requests, the highest applied --sequence, and the start of each drift.",
    "Calls in progress when the state was lost. Their changes may appear in the next minutes, so plan again before you apply.",
  );
}

export function recordedStateDocument(state: State, address: string): Document {
  const { service, serial, lineage, moved, pruned, sequence, applied, planFiles } = state;
  const use = service === undefined ? "No service is recorded yet." : `It is for ${service}.`;
  const people = formatCount(applied?.people.size ?? 0, "person", "people");
  const lastFile = planFiles?.at(-1);
  const gone = `It was moved to ${moved?.to} at ${moved?.at}. roster does not use it here any more.`;
  const facts = present(
    t.sentence(serial === 0 ? "The log has no events yet." : `Log ID (lineage) ${lineage}, position ${serial}. ${use}`),
    moved && t.sentence(gone, "alarm"),
    pruned && t.sentence(`It was pruned at ${pruned.at}. The events from before ${pruned.before} are in an export.`),
    sequence !== undefined && t.sentence(`The highest applied --sequence is ${sequence}.`),
    applied && t.sentence(`The last applied roster (${applied.at}) has ${people}.`),
    lastFile && t.sentence(`The last applied plan file is ${lastFile.file}, started at ${lastFile.at}.`),
  );
  const sections = [t.part(undefined, facts), ...recordedTables(state)];
  return t.toDocument({ heading: t.phrase`State ${address}`, sections }, "roster state show");
}

function recordedTables({ users, teams, memberships, keys, refusals, open }: State): readonly Section[] {
  const noValue = "-";
  const roleList = (roles: readonly string[]) => (roles.length === 0 ? "none" : roles.join(", "));
  const nameOf = (team: TeamKey) => teams.get(team)?.name ?? team;
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  type Cells = readonly (string | undefined)[];
  const recorded = <T>(title: string, columns: readonly string[], all: Iterable<T>, cellsOf: (one: T) => Cells) => {
    const rows = [...all].map((one) => cellsOf(one).map((text = noValue) => [text]));
    return t.part(t.words(`${title} (${rows.length})`), t.table(columns, rows));
  };
  return [
    recorded("Users", ["person", "account", "identifier", "key", "created"], users.values(), (user) => {
      const { email, account, identifier, createdTeam, createdAt = "seen" } = user;
      const key = createdTeam === undefined ? user.key : `${user.key ?? noValue} (team ${nameOf(createdTeam)})`;
      return [email, account, identifier, key, createdAt];
    }),
    recorded("Teams", ["team", "account", "identifier", "first member"], teams.values(), (team) => {
      const { name, account, identifier, firstMember } = team;
      return [name, account, identifier, firstMember && emailOf(firstMember)];
    }),
    recorded("Memberships", ["person", "team", "how", "prefix"], memberships.values(), (one) => {
      return [emailOf(one.address), nameOf(one.team), one.how, one.prefix];
    }),
    recorded("Keys with replaced roles", ["prefix", "roles", "at", "last read"], keys.values(), (key) => {
      return [key.prefix, roleList(key.setRoles), key.at, key.observedRoles && roleList(key.observedRoles)];
    }),
    recorded("Refused requests (not sent again)", ["request", "at", "why"], refusals.values(), (refusal) => {
      const { message, serviceSays } = refusal.failure;
      return [refusal.asked, refusal.at, serviceSays === undefined ? message : `${message}: ${serviceSays}`];
    }),
    recorded("Calls with an unknown outcome", ["action", "at", "run"], open, (one) => [one.action, one.at, one.run]),
  ];
}
