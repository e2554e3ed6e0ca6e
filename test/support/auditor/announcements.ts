import type { EventOf } from "../../../src/model/event.ts";
import type { Intent } from "../../../src/model/recorded.ts";
import { type Call, callOf, differenceFrom, namedBy } from "./calls.ts";
import { effectsOf, keysSaid, type ToldCall } from "./claims.ts";
import type { CommandBegan } from "./records.ts";
import type { LoggedRequest, ServiceLog } from "./service-log.ts";

/** A call that was announced, as far as its events have told of it. */
export interface Announced extends ToldCall {
  readonly log: string;
  readonly run: string;
  readonly action: string;
  intent: Intent;
  readonly requests: LoggedRequest[];
  /** The command that announced it last. */
  command: number;
  /** No request has come for the last announcement. */
  waits: boolean;
  open: boolean;
  /** An event says that its outcome is unknown. */
  isUnknown: boolean;
  isDeclined?: true;
}

/** Which calls are announced, and which request came for which of them. */
export function announcements(log: ServiceLog) {
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
