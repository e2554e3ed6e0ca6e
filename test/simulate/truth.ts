import { foldAddress } from "../../src/model/address.ts";
import type { Intent } from "../../src/model/call.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../../src/model/event.ts";
import type { State } from "../../src/model/state.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { account, type Key, rolesAt, type Service, type Ways } from "./service.ts";

interface Call {
  readonly intent: Intent;
  readonly since: number;
}

/** Holds what the runs of a company tell against what the service has. */
export interface Truth {
  /** Somebody who hears one run; it answers what of an event is not so, one sentence each. */
  listener(): (event: RunEvent) => readonly string[];
  /** What a log has open: a run that died may have announced more than it told. */
  noteOpen(state: State): void;
  /** What a state says of roles and of who came with a team, and is not so, once nothing is under way. */
  untrueIn(state: State): readonly string[];
}

export function newTruth(service: Service, ways: Ways, now: () => number): Truth {
  const calls = new Map<string, Call>();
  const all: Call[] = [];
  let notedAt = now();
  const earliest = Math.min(ways.lag.searches, ways.lag.lists);

  const keyOf = (prefix: string) => service.users.flatMap(({ keys }) => keys).find((key) => key.prefix === prefix);
  const usersOf = (address: string) => service.users.filter(({ email }) => foldAddress(email) === address);
  const keysOf = (address: string) => usersOf(address).flatMap(({ keys }) => keys);
  const isIn = ({ team: one }: Key, team: string) => one !== undefined && teamKeyOf(account, one.name) === team;

  function untrueKey(prefix: string | undefined, address: string, team?: string): readonly string[] {
    const is = keysOf(address).some((key) => key.prefix === prefix && (team === undefined || isIn(key, team)));
    return prefix === undefined || is ? [] : [`${prefix} is told to be of ${address}, and is not`];
  }

  function untrueOutcome(learned: LearnedOutcome, { intent, since }: Call): readonly string[] {
    switch (learned.kind) {
      case "create-user": {
        const { address, prefix, provisional, team } = learned;
        if (usersOf(address).length === 0) return [`${address} is told to be there, and is not`];
        return provisional === undefined ? untrueKey(prefix, address, team) : [];
      }
      case "add-members":
        return learned.members.flatMap(({ address, outcome, prefix, provisional }) => {
          if (!outcome.added) return provisional === undefined ? untrueKey(prefix, address, learned.team) : [];
          const isMember = keysOf(address).some((key) => isIn(key, learned.team));
          if (!isMember) return [`${address} is told to be in ${learned.team}, and is not`];
          return provisional === undefined ? untrueKey(prefix, address, learned.team) : [];
        });
      case "replace-roles": {
        const { prefix } = learned;
        const roles = learned.roles ?? (intent.kind === "replace-roles" ? intent.roles : []);
        return hadRoles(prefix, roles, since, now()) ? [] : [`${prefix} is told to have ${roles.join()}, and has not`];
      }
    }
  }

  /** Whether a key had these roles at some time between. */
  function hadRoles(prefix: string, roles: readonly string[], since: number, until: number): boolean {
    const key = keyOf(prefix);
    if (key === undefined) return false;
    const given = key.roles.filter((one) => one.since >= since && one.since <= until).map(({ are }) => are);
    return [...given, rolesAt(key, until)].some((are) => isSame(are, roles));
  }

  /** Whom or what a call is about, and when it came to be as the call asks; nothing shows of whom an administrator has deleted. */
  function doings(intent: Intent): readonly { readonly name: string; readonly times: readonly number[] }[] {
    const bornIn = (team: string, address: string) =>
      usersOf(address).flatMap(({ gone, keys }) =>
        keys.flatMap((key) => (isIn(key, team) && gone > now() ? [key.born] : [])),
      );
    switch (intent.kind) {
      case "create-user":
        return [
          {
            name: intent.address,
            times: usersOf(intent.address).flatMap(({ born, gone }) => (gone > now() ? [born] : [])),
          },
        ];
      case "add-members":
        return intent.addresses.map((address) => ({ name: address, times: bornIn(intent.team, address) }));
      case "replace-roles": {
        const given = (keyOf(intent.prefix)?.roles ?? []).filter(({ are }) => isSame(are, intent.roles));
        return [{ name: intent.prefix, times: given.map(({ since }) => since) }];
      }
    }
  }

  /** What was done after a later call about the same was announced was done by that one. */
  function undone(call: Call | undefined, except: readonly string[] = []): readonly string[] {
    if (call === undefined) return [];
    const { intent, since } = call;
    const done = doings(intent).filter(({ name, times }) => {
      const later = all.filter(
        (one) =>
          one.since > since && one.intent.kind === intent.kind && doings(one.intent).some((it) => it.name === name),
      );
      const until = Math.min(...later.map((one) => one.since));
      return !except.includes(name) && times.some((at) => at >= since && at < until);
    });
    return done.map(({ name }) => `a call is told to have done nothing, and did: ${name}`);
  }

  function untrueSettlement({ run, action, as, except }: EventOf<"resolved">): readonly string[] {
    const call = calls.get(`${run} ${action}`);
    if (as.done) return call === undefined ? [] : untrueOutcome(as.learned, call);
    return as.unproven === true ? [] : undone(call, except);
  }

  /** What no read can have shown yet of what was done. */
  function unshown(call: Call): readonly string[] {
    return unshownNames(call).map((name) => `${name} is told to be verified, and no read shows it`);
  }

  function unshownNames({ intent, since }: Call): readonly string[] {
    const at = now() - earliest;
    switch (intent.kind) {
      case "create-user":
        return usersOf(intent.address).some(({ born }) => born <= at) ? [] : [intent.address];
      case "add-members":
        return intent.addresses.filter(
          (address) => !(ways.showsKeys && keysOf(address).some((key) => isIn(key, intent.team) && key.born <= at)),
        );
      case "replace-roles": {
        const isShown = ways.showsKeys && ways.showsRoles && hadRoles(intent.prefix, intent.roles, since, at);
        return isShown ? [] : [intent.prefix];
      }
    }
  }

  return {
    listener() {
      const own = new Map<string, Call>();
      const done = new Map<string, Call>();
      function announced({ run, action, intent }: EventOf<"intended">): readonly string[] {
        const call = { intent, since: now() };
        calls.set(`${run} ${action}`, call);
        all.push(call);
        own.set(action, call);
        return [];
      }
      function succeeded({ action, learned }: EventOf<"succeeded">): readonly string[] {
        const call = own.get(action);
        if (call === undefined) return [`${action} succeeded unannounced`];
        done.set(learned.kind === "replace-roles" ? learned.prefix : action, whatCame(call, learned));
        return untrueOutcome(learned, call);
      }
      return (event) => {
        switch (event.type) {
          case "intended":
            return announced(event);
          case "succeeded":
            return succeeded(event);
          case "resolved":
            return untrueSettlement(event);
          case "failed":
            return undone(own.get(event.action));
          case "key-learned":
            return event.provisional === undefined ? untrueKey(event.prefix, event.address, event.team) : [];
          case "access-seen":
            return event.members.flatMap(({ prefix, address, team }) => untrueKey(prefix, address, team));
          case "verified":
            return event.result === "converged" ? [...done.values()].flatMap(unshown) : [];
          default:
            return [];
        }
      };
    },
    noteOpen({ open }) {
      for (const { run, action, intent } of open) {
        const told = calls.get(`${run} ${action}`);
        if (JSON.stringify(told?.intent) === JSON.stringify(intent)) continue;
        const call = { intent, since: told?.since ?? notedAt };
        calls.set(`${run} ${action}`, call);
        all.push(call);
      }
      notedAt = now();
    },
    untrueIn: ({ keys, teams }) => [
      ...[...keys.values()].flatMap(({ prefix, setRoles, observedRoles, provisional }) => {
        const key = keyOf(prefix);
        // A call may still change the key of somebody who is deleted by then, whom no read shows: only where it was answered is that known.
        const gone = service.users.find(({ keys: own }) => own.some((one) => one === key))?.gone ?? now();
        const [are, atTheEnd] = key === undefined ? [] : [rolesAt(key, now()), rolesAt(key, Math.min(now(), gone))];
        const told = provisional === true ? setRoles : (observedRoles ?? setRoles);
        if ([are, atTheEnd].some((roles) => roles !== undefined && isSame(roles, told))) return [];
        return [`the state says that ${prefix} has ${told.join()}, and it has ${are?.join()}`];
      }),
      ...all.flatMap(({ intent }) => {
        if (intent.kind !== "create-user" || intent.createsTeam === undefined) return [];
        const { address, createsTeam } = intent;
        const isFirst = usersOf(address).some(
          ({ gone, keys: [first] }) => gone > now() && first !== undefined && isIn(first, createsTeam.team),
        );
        if (!isFirst || teams.get(createsTeam.team)?.firstMember === address) return [];
        return [`the state does not say that ${address} came with ${createsTeam.team}`];
      }),
    ],
  };
}

/** A call with those alone who were added. */
function whatCame({ intent, since }: Call, learned: LearnedOutcome): Call {
  if (learned.kind !== "add-members" || intent.kind !== "add-members") return { intent, since };
  const addresses = learned.members.flatMap(({ address, outcome }) => (outcome.added ? [address] : []));
  return { intent: { ...intent, addresses }, since };
}

function isSame(one: readonly string[], another: readonly string[]): boolean {
  return one.toSorted().join() === another.toSorted().join();
}
