import { joinList, say, sentence, truncateList } from "../codes/message.ts";
import {
  type Acceptable,
  type AcceptEntry,
  type AcceptStatus,
  acceptStatuses,
  maxAcceptDays,
} from "../model/accept.ts";
import {
  type Allowance,
  type AllowanceCode,
  allowanceCodeOf,
  allowanceScope,
  coversOf,
  formatAllowanceCode,
  type Objection,
  type ObjectionCode,
  readObjectionCode,
  thingOf,
} from "../model/allowance.ts";
import { byCodeUnit, groupBy } from "../model/collections.ts";
import type { GuardViolation } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { daysAfter } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import type { FindingDraft } from "./finding-draft.ts";

/** What a person's codes say of one objection. */
export interface Ruling {
  readonly isAllowed: boolean;
  /** What allows exactly this, to be printed where nothing does. */
  readonly code: string;
}

/** Asked wherever the planner or a guard would object; remembers what it was asked. */
export interface Allowances {
  ask(objection: Objection): Ruling;
  /** What the roster says under `accept` of something that stays, or how it can say so. */
  accept(objection: Objection<string>, guarded: Acceptable["guarded"]): Acceptable;
  /** What lets something of this plan pass. */
  used(): readonly Allowance[];
  /** Codes that do not fit what this plan needs: whoever passed them has read something else. */
  misfits(): readonly GuardViolation[];
  /** Codes of what this plan does not need. */
  idle(): readonly FindingDraft[];
}

interface Asked {
  readonly code: AllowanceCode;
  readonly covers: readonly string[];
}

/** What can be accepted for so long can always be: a person who wants more writes more. */
const offeredDays = 30;

export function weighAllowances(
  { allowed: given, today }: Pick<Policy, "allowed" | "today">,
  accepts: readonly AcceptEntry[],
  service: string,
  state: State,
): Allowances {
  let scope = allowanceScope(service, state);
  let recorded = state.allowances ?? new Map<string, never>();
  const asked = new Map<string, Asked>();
  const used = new Map<string, Allowance>();
  const fitting = new Set<AllowanceCode>();

  /** A plan without a log has no lineage; its codes hold in the log that begins. */
  function hasDigits({ digits }: ObjectionCode, objection: Objection<string>): boolean {
    return [scope, { ...scope, lineage: "" }].some((each) => allowanceCodeOf(objection, each).digits === digits);
  }

  /** A list that an apply has recorded covers each part of it. */
  function fits(allowed: AllowanceCode, objection: Objection, covers: readonly string[]): boolean {
    if (hasDigits(allowed, objection)) return true;
    const known = recorded.get(formatAllowanceCode({ ...allowed, digits: "" }));
    if (known?.code !== formatAllowanceCode(allowed)) return false;
    const list = new Set(known.covers);
    return covers.every((cover) => list.has(cover));
  }

  function ask(objection: Objection): Ruling {
    const covers = coversOf(objection, scope);
    const code = allowanceCodeOf(objection, scope);
    const text = formatAllowanceCode(code);
    asked.set(text, { code, covers });
    // However a person writes an address, it is recorded as it is printed.
    const as = ({ digits }: AllowanceCode) => ({ ...code, digits });
    const fit = given.find((one) => thingOf(one) === thingOf(code) && fits(as(one), objection, covers));
    if (fit === undefined) return { isAllowed: false, code: text };
    const allowed = formatAllowanceCode(as(fit));
    fitting.add(fit);
    used.set(`${allowed} ${text}`, { code: allowed, covers });
    if (objection.of === "service-reset") {
      // As the state will be: what was allowed before was about what the service has lost, and what is printed now holds afterwards.
      scope = { ...scope, epoch: allowed };
      recorded = new Map();
    }
    return { isAllowed: true, code: text };
  }

  const read = accepts.flatMap((entry) => {
    const names = readObjectionCode(entry.code);
    return names === undefined ? [] : [{ entry, names }];
  });
  const entries = groupBy(
    read.sort((a, b) => byCodeUnit(a.entry.until, b.entry.until)),
    ({ names }) => thingOf(names),
  );

  const offeredUntil = daysAfter(today, offeredDays);

  /** Of several entries, one in force counts, and of those the one that lasts longest. */
  function accept(objection: Objection<string>, guarded: Acceptable["guarded"]): Acceptable {
    const code = allowanceCodeOf(objection, scope);
    const statusOf = ({ entry: { until }, names }: (typeof read)[number]): AcceptStatus => {
      if (!hasDigits(names, objection)) return "other-facts";
      const latest = daysAfter(today, maxAcceptDays({ guarded }));
      return until < today ? "over" : until > latest ? "too-long" : "in-force";
    };
    const named = (entries.get(thingOf(code)) ?? []).map((one) => ({ ...one.entry, is: statusOf(one) }));
    const [accepted] = acceptStatuses.flatMap((is) => named.findLast((one) => one.is === is) ?? []);
    const offer = { code: formatAllowanceCode(code), until: offeredUntil };
    return { accept: offer, guarded, accepted };
  }

  /** What this plan needs of the same thing, or what the digits belong to. */
  function neededInstead(one: AllowanceCode): readonly Asked[] {
    const all = [...asked.values()];
    const same = all.filter(({ code }) => thingOf(one) === thingOf(code));
    return same.length > 0 ? same : all.filter(({ code }) => one.digits !== "" && code.digits === one.digits);
  }

  function misfit(one: AllowanceCode): readonly GuardViolation[] {
    const needed = neededInstead(one);
    const written = formatAllowanceCode(one);
    if (needed.length === 0) {
      if (one.digits !== "") return [];
      const message = `\`--allow ${written}\` has no digits. Pass the code as a plan prints it. This plan does not need it.`;
      return [{ code: one.of, message }];
    }
    const then = recorded.get(formatAllowanceCode({ ...one, digits: "" }));
    return needed.map(({ code, covers }) => {
      const allow = formatAllowanceCode(code);
      const now = `Now it is about ${describe(covers)}: \`--allow ${allow}\`.`;
      const why =
        one.digits === ""
          ? "it has no digits"
          : then?.code === written
            ? `it is spent, or its facts have changed. It was used at ${then.at} and covered ${describe(then.covers)}`
            : thingOf(one) === thingOf(code)
              ? sentence("other-facts", {})
              : "its digits are those of another code";
      return { code: one.of, message: `\`--allow ${written}\` does not fit this plan: ${why}. ${now}`, allow };
    });
  }

  return {
    ask,
    accept,
    used: () => mergeByCode([...used.values()]),
    misfits: () => given.filter((one) => !fitting.has(one)).flatMap(misfit),
    idle: () =>
      given.filter((one) => !fitting.has(one) && one.digits !== "" && neededInstead(one).length === 0).map(idleFinding),
  };
}

function mergeByCode(used: readonly Allowance[]): readonly Allowance[] {
  const byCode = new Map<string, readonly string[]>();
  for (const { code, covers } of used) byCode.set(code, [...new Set([...(byCode.get(code) ?? []), ...covers])]);
  return [...byCode].map(([code, covers]) => ({ code, covers }));
}

/** The first names what it is about. */
function describe([about = "", ...facts]: readonly string[]): string {
  return `${about} (${facts.length === 1 ? joinList(facts) : truncateList(facts)})`;
}

function idleFinding(code: AllowanceCode): FindingDraft {
  const written = formatAllowanceCode(code);
  return {
    ...say("idle-allowance", { code: written }),
    subject: { kind: "other", name: `allowance ${written}` },
    because: [],
    concerns: [],
  };
}
