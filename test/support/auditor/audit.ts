import type { Intent } from "../../../src/model/call.ts";
import type { EventOf, LearnedOutcome, LogEvent } from "../../../src/model/event.ts";
import { type Call, callOf, differenceFrom, namedBy } from "./calls.ts";
import {
  doneObjection,
  effectsOf,
  keysSaid,
  missingEffect,
  seenObjections,
  type ToldCall,
  teamNames,
  usersSaid,
} from "./claims.ts";
import {
  type Breach,
  type CommandBegan,
  foldEmail,
  foldTeamName,
  type LoggedRequest,
  type LogRecord,
  type RequestAnswered,
  readServiceLog,
  type ServiceChanged,
  type ServiceLog,
  type Span,
} from "./service-log.ts";

/**
 * Whether each call that arrived is explained by an event before it, nobody is created or mailed twice, no team is made twice, and
 * every event is true. It knows the interface of the service and the two logs, and nothing of how either came about.
 */
export function audit(records: readonly LogRecord[]): readonly Breach[] {
  const log = readServiceLog(records);
  const announced = announcements(log);
  const teams = teamNames();
  const breaches: Breach[] = [];
  let command: CommandBegan = { is: "command", at: 0, log: "", allowed: [] };
  /** Where the oldest read of the command showed the service, and the oldest since its last write. */
  let readFrom: number | undefined;
  let verifiedFrom: number | undefined;
  let run = "";
  let done: { readonly call: ToldCall; readonly learned: LearnedOutcome }[] = [];

  const isAllowed = (address: string) => command.allowed.some((code) => code.toLowerCase().includes(address));

  function arrived(request: LoggedRequest): void {
    if (callOf(request).is === "read") return;
    verifiedFrom = undefined;
    const says = announced.explain(request);
    if (says !== undefined) breaches.push({ position: request.position, rule: "unexplained-call", says });
  }

  function answered({ request: number, answer, asOf }: RequestAnswered): void {
    const request = log.requests.get(number);
    if (request === undefined || answer === "lost" || callOf(request).is !== "read") return;
    const place = Math.min(request.position, asOf === undefined ? request.position : log.placeOf(asOf));
    readFrom = Math.min(readFrom ?? place, place);
    verifiedFrom = Math.min(verifiedFrom ?? place, place);
  }

  function judge(event: LogEvent, position: number): void {
    const span = { from: Math.min(readFrom ?? position, position), to: position };
    const name = "action" in event ? `${event.type} ${event.action}` : event.type;
    const objections = [...outcomeObjections(event, span), ...seenObjections(log, event, span, teams)];
    for (const says of objections) breaches.push({ position, rule: "untrue-event", says: `${name}: ${says}` });
  }

  /** What is untrue of an event that tells how calls went. */
  function outcomeObjections(event: LogEvent, span: Span): readonly string[] {
    switch (event.type) {
      case "intended":
        announce(event, span.to);
        return [];
      case "succeeded":
        return doneAs(announced.end(event.action)?.call, event.learned, span);
      case "resolved":
        return resolvedAs(event, span);
      case "failed":
      case "stale":
      case "skipped":
      case "unneeded":
        return ended(event.action);
      case "member-refused":
        return ended(event.action, [event.address]);
      case "declined":
        return announced.decline(event.action) === "answered" ? [] : ["no answer came"];
      case "unknown-outcome":
        announced.doubt(event.action);
        return [];
      case "run-started":
        [run, done] = [event.run, []];
        return [];
      case "verified":
        return event.result === "converged" ? done.flatMap(({ call, learned }) => unshown(call, learned, span)) : [];
      case "run-finished":
        for (const { action } of announced.untold(run)) {
          breaches.push({ position: span.to, rule: "silent-end", says: `${action}: nothing says what became of it` });
        }
        return [];
      default:
        return [];
    }
  }

  function announce(event: EventOf<"intended">, position: number): void {
    const says = announced.announce(event, isAllowed);
    if (says !== undefined) breaches.push({ position, rule: "sent-again", says: `${event.action}: ${says}` });
    teams.learn(event.intent);
  }

  function doneAs(call: Announced | undefined, learned: LearnedOutcome, span: Span): readonly string[] {
    if (call === undefined) return ["it was not announced"];
    done.push({ call, learned });
    if (learned.kind === "create-user" && learned.team !== undefined)
      teams.learn({ team: learned.team, identifier: learned.teamIdentifier });
    const says = doneObjection(log, call, learned, span);
    return says === undefined ? [] : [says];
  }

  function ended(action: string, people?: readonly string[]): readonly string[] {
    const end = announced.end(action);
    return end?.wasOpen === true ? undone(end.call, people) : [];
  }

  function undone(call: Announced | undefined, people?: readonly string[]): readonly string[] {
    return call !== undefined && effectsOf(log, call, people).length > 0 ? ["the call had an effect"] : [];
  }

  function resolvedAs({ run: of, action, as, except = [] }: EventOf<"resolved">, span: Span): readonly string[] {
    const call = announced.settle(of, action, except);
    if (as.done) return doneAs(call, as.learned, span);
    if (as.unproven === true || isTakenBack(records, of, action, span.to)) return [];
    const people = call?.intent.kind === "add-members" ? call.intent.addresses : undefined;
    return undone(
      call,
      people?.filter((one) => !except.includes(one)),
    );
  }

  function unshown(call: ToldCall, learned: LearnedOutcome, { to }: Span): readonly string[] {
    const says = missingEffect(log, call, learned, { from: verifiedFrom ?? to, to });
    return says === undefined ? [] : [says];
  }

  for (const [position, record] of records.entries()) {
    switch (record.is) {
      case "command":
        command = record;
        [readFrom, verifiedFrom, done] = [undefined, undefined, []];
        announced.begin(record);
        break;
      case "event":
        judge(record.event, position);
        break;
      case "arrived": {
        const request = log.requests.get(record.request);
        if (request !== undefined) arrived(request);
        break;
      }
      case "changed": {
        const doubling = doublingOf(log, record, position, isAllowed);
        if (doubling !== undefined) breaches.push({ position, ...doubling });
        break;
      }
      case "answered":
        answered(record);
        break;
    }
  }
  return breaches;
}

/** What reads did not show counts as not done, until a later read shows it: then the log says so itself. */
function isTakenBack(records: readonly LogRecord[], run: string, action: string, position: number): boolean {
  return records.slice(position + 1).some((record) => {
    const event = record.is === "event" ? record.event : undefined;
    return event?.type === "resolved" && event.run === run && event.action === action && event.as.done;
  });
}

/**
 * What a change by one of roster's requests doubles: somebody or a team that was there before, or a mail. Somebody who is gone may be
 * created again where a person has allowed it.
 */
function doublingOf(
  log: ServiceLog,
  { request, now }: ServiceChanged,
  position: number,
  mayReturn: (address: string) => boolean,
): Pick<Breach, "rule" | "says"> | undefined {
  const by = log.requests.get(request ?? -1);
  const change = by?.did.find((one) => one.position === position);
  if (by === undefined || change === undefined) return undefined;
  const before = { from: 0, to: position - 1 };
  switch (now.is) {
    case "user": {
      const address = foldEmail(now.email);
      const isThere = usersSaid(log, { address }, { from: position - 1, to: position - 1 }).length > 0;
      const wasThere = usersSaid(log, { address }, before).length > 0;
      const isDouble = change.isNew && (isThere || (wasThere && !mayReturn(address)));
      return isDouble ? { rule: "created-twice", says: `${address} was there before` } : undefined;
    }
    case "team": {
      const isDouble = log
        .teams(before)
        .some(({ account, name }) => account === now.account && foldTeamName(name) === foldTeamName(now.name));
      return change.isNew && isDouble ? { rule: "team-made-twice", says: `${now.name} was there before` } : undefined;
    }
    case "key":
      return undefined;
    case "mail": {
      const asked = { from: by.position, to: by.position };
      const isMember = log.keys(asked).some(({ user, team }) => user === now.user && team === now.team);
      if (isMember) return { rule: "mailed-twice", says: `${now.user} is a member of ${now.team}` };
      const isAgain = log.mails(before).some(({ user, team }) => user === now.user && team === now.team);
      return isAgain ? { rule: "mailed-twice", says: `${now.user} was invited to ${now.team} before` } : undefined;
    }
  }
}

/** A call that was announced, as far as its events have told of it. */
interface Announced extends ToldCall {
  readonly log: string;
  readonly run: string;
  readonly action: string;
  intent: Intent;
  readonly requests: LoggedRequest[];
  command: number;
  /** No request has come for the last announcement. */
  waits: boolean;
  open: boolean;
  isUnknown: boolean;
  isDeclined?: true;
}

/** Which calls are announced, and which request came for which of them. */
function announcements(log: ServiceLog) {
  const all: Announced[] = [];
  const latest = new Map<string, Announced>();
  let command = { number: 0, log: "" };

  const find = (run: string, action: string) =>
    all.find((one) => one.log === command.log && one.run === run && one.action === action);
  /** The call of an action that this command has announced: events that name no run are about it. */
  const ofCommand = (action: string) => {
    const call = latest.get(`${command.log} ${action}`);
    return call?.command === command.number ? call : undefined;
  };

  return {
    begin({ log: name }: CommandBegan): void {
      command = { number: command.number + 1, log: name };
    },

    /** Why the call must not be announced now; undefined where it may. */
    announce(
      { run, action, intent }: EventOf<"intended">,
      isAllowed: (address: string) => boolean,
    ): string | undefined {
      const before = find(run, action);
      const rivals = all.filter((one) => isSameMatter(one.intent, intent, isAllowed));
      const people =
        intent.kind === "add-members" ? intent.addresses.filter((address) => !isAllowed(address)) : undefined;
      const wasDone = rivals.some((one) => effectsOf(log, one, people).length > 0);
      const open = rivals.find((one) => one !== before && one.open && one.log === command.log);
      const now = { command: command.number, waits: true, open: true, isUnknown: false, intent };
      const entry = Object.assign(before ?? { log: command.log, run, action, requests: [], ...now }, now);
      if (before === undefined) all.push(entry);
      latest.set(`${command.log} ${action}`, entry);
      if (wasDone) return "it was done before";
      return open === undefined ? undefined : `nothing says what became of it in the run ${open.run}`;
    },

    /** Why nothing explains a request; undefined where an announcement of this command does. */
    explain(request: LoggedRequest): string | undefined {
      const call = callOf(request);
      const { position } = request;
      const known = {
        named: (text: string) => namedBy(text, log.users({ from: position, to: position })),
        roles: (prefix: string) => keysSaid(log, { prefix }, { from: 0, to: position }).flatMap(({ roles }) => roles),
      };
      const compared = all
        .filter(({ open }) => open)
        .map((one) => ({ one, difference: differenceFrom(one.intent, call, known) }));
      const meant = compared.filter(({ difference }) => difference === undefined).map(({ one }) => one);
      const isNow = ({ waits, command: by }: Announced) => waits && by === command.number;
      const announced = meant.find(isNow) ?? meant.at(-1);
      if (announced === undefined) return `${nameOf(call)}: ${whyUnannounced(compared, call)}`;
      const { waits } = announced;
      const mayCome = isNow(announced) || (!waits && mayRepeat(announced));
      announced.requests.push(request);
      const why = waits ? "another command announced it" : "one announcement, two calls";
      if (!mayCome) return `${nameOf(call)}: ${why}`;
      Object.assign(announced, { waits: false, isUnknown: false });
      return undefined;
    },

    /** The call of an action, which ends; whether it was open until then. */
    end(action: string): { readonly call: Announced; readonly wasOpen: boolean } | undefined {
      const call = ofCommand(action);
      if (call === undefined) return undefined;
      const { open: wasOpen } = call;
      call.open = false;
      return { call, wasOpen };
    },

    settle(run: string, action: string, except: readonly string[]): Announced | undefined {
      const call = find(run, action);
      if (call === undefined) return undefined;
      const resolved = { ...call };
      call.open = except.length > 0;
      if (call.intent.kind === "add-members" && call.open) {
        call.intent = { ...call.intent, addresses: call.intent.addresses.filter((one) => except.includes(one)) };
      }
      return resolved;
    },

    decline(action: string): "answered" | "unanswered" {
      const call = ofCommand(action);
      const answer = call?.requests.at(-1)?.answered?.answer;
      if (call !== undefined) call.isDeclined = true;
      return answer === undefined || answer === "lost" ? "unanswered" : "answered";
    },

    doubt(action: string): void {
      const call = ofCommand(action);
      if (call !== undefined) call.isUnknown = true;
    },

    /** Calls of a run that were sent, and of which nothing tells how they ended. */
    untold: (run: string): readonly Announced[] =>
      all.filter((one) => one.run === run && one.open && !one.isUnknown && !one.waits),
  };
}

/** To replace the same roles once more changes nothing: where no answer came, or an error, that needs no other announcement. */
function mayRepeat({ intent, requests }: Announced): boolean {
  const answer = requests.at(-1)?.answered?.answer;
  return intent.kind === "replace-roles" && (answer === "lost" || (answer !== undefined && answer >= 400));
}

/** Two calls of which at most one may be done, unless a person allows the other for somebody. */
function isSameMatter(one: Intent, another: Intent, isAllowed: (address: string) => boolean): boolean {
  if (one.kind === "create-user" && another.kind === "create-user") {
    const isOnePerson = one.address === another.address && !isAllowed(one.address);
    return isOnePerson || (one.createsTeam !== undefined && one.createsTeam.team === another.createsTeam?.team);
  }
  if (one.kind !== "add-members" || another.kind !== "add-members") return false;
  if (one.identifier !== another.identifier) return false;
  return one.addresses.some((address) => another.addresses.includes(address) && !isAllowed(address));
}

function whyUnannounced(
  compared: readonly { readonly one: Announced; readonly difference: string | undefined }[],
  call: Call,
): string {
  if (call.is === "none") return "the interface has no such call";
  const waiting = compared.filter(({ one }) => one.waits && one.intent.kind === call.is);
  if (waiting.length === 0) return "nothing announced it";
  return waiting.map(({ difference }) => difference).join("; ");
}

function nameOf(call: Call): string {
  switch (call.is) {
    case "create-user":
      return `create-user ${String(call.body["email"])}`;
    case "add-members":
      return `add-members ${call.team}: ${call.identifiers.join(", ")}`;
    case "replace-roles":
      return `replace-roles ${call.prefix}`;
    case "read":
    case "none":
      return "a call";
  }
}
