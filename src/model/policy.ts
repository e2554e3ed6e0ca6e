import { type HoldName, holdNames, type StopName, stopNames } from "../codes/guards.ts";
import type { EmailKey } from "./address.ts";
import type { OpenIntent } from "./call.ts";
import { byCodeUnit } from "./collections.ts";
import type { Static } from "./declare.ts";
import {
  decodeSubject,
  formatSubject,
  namesIn,
  type Place,
  type Subject,
  serviceSubject,
  teamSubject,
} from "./fact.ts";
import type { RecordedRefusal } from "./failure.ts";
import { sha256 } from "./json.ts";
import { type AllowanceReason, type allowance, callIdOf, type State } from "./state.ts";
import type { RoleSet } from "./values.ts";

const otherAllowable = [
  "service-reset",
  "user-missing",
  "user-removed",
  "refused",
  "unproven-absence",
  "unknown-outcome",
  "feed-shrinks",
] as const;

type AllowableHold = Exclude<HoldName, "own-key" | "protected">;

export type AllowableCode = AllowableHold | StopName | (typeof otherAllowable)[number];

export const allowableCodes: readonly AllowableCode[] = [
  ...holdNames.filter((name): name is AllowableHold => name !== "own-key" && name !== "protected"),
  ...stopNames,
  ...otherAllowable,
];

/** What `--allow` passes and what an entry under `accept` names, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`. */
export interface ObjectionCode<Of extends string = string> {
  readonly of: Of;
  /** An address, a team, a member as `team/address`, or the prefix of a key; empty where it is about a whole plan. */
  readonly about: string;
  /** Empty where a person has left them out: then it allows nothing. */
  readonly digits: string;
}

export type AllowanceCode = ObjectionCode<AllowableCode>;

export type Allowance = Static<typeof allowance>;

/** Nobody gives a privileged role, or passes what refuses a whole plan, without a reason. */
export function needsReason(code: string): boolean {
  const of = readAllowanceCode(code)?.of;
  return of === "privileged-roles" || of === "service-reset" || stopNames.some((name) => name === of);
}

export function formatAllowanceCode({ of, about, digits }: ObjectionCode): string {
  const name = about === "" ? of : `${of}:${about.replace(/[^\w.+=@/-]/gu, escapeCharacter)}`;
  return digits === "" ? name : `${name}#${digits}`;
}

/** What a shell, a list of words, Markdown or a terminal could take for something else is written as in a URL: a space is `%20`. */
function escapeCharacter(character: string): string {
  if (/^(?:[\p{L}\p{N}\p{M}._+=@/-])$/u.test(character) && !/\p{DI}/u.test(character)) return character;
  if (/^[!'()*~]$/u.test(character)) return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(/\p{Cs}/u.test(character) ? "\u{FFFD}" : character);
}

/** Reads what `formatAllowanceCode` writes, also without its digits. Undefined for anything else. */
export function readObjectionCode(text: string): ObjectionCode | undefined {
  const [, of, about = "", digits = ""] = /^([a-z-]+)(?::([^#]+))?(?:#([0-9a-f]{12})?)?$/u.exec(text) ?? [];
  return of === undefined ? undefined : { of, about: decodeEscapes(about), digits };
}

export function readAllowanceCode(text: string): AllowanceCode | undefined {
  const read = readObjectionCode(text);
  const of = allowableCodes.find((code) => code === read?.of);
  return read === undefined || of === undefined ? undefined : { ...read, of };
}

function decodeEscapes(written: string): string {
  return written.replace(/(?:%[0-9a-f]{2})+/giu, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

export function allowedSubjects(allowed: readonly Allowance[] | undefined, of: AllowableCode): ReadonlySet<string> {
  const read = (allowed ?? []).flatMap(({ code }) => readAllowanceCode(code) ?? []);
  return new Set(read.filter((one) => one.of === of).map(({ about }) => about));
}

/** What digits are made of besides the thing itself. */
export interface AllowanceScope {
  readonly service: string;
  /** Empty where there is no log yet. */
  readonly lineage: string;
  /** The code by which the service began anew; empty where it never did. */
  readonly epoch: string;
}

export function allowanceScope(service: string, { lineage, serial, allowances }: State): AllowanceScope {
  return { service, lineage: serial === 0 ? "" : lineage, epoch: allowances?.get("service-reset")?.code ?? "" };
}

export function retryOf({ subject, asked, at }: RecordedRefusal): Objection {
  return { of: "refused", subject: decodeSubject(subject), facts: [`${asked}, refused at ${at}`] };
}

export interface Objection<Of extends string = AllowableCode> {
  readonly of: Of;
  /** Undefined where it is about a whole plan. */
  readonly subject: Subject | undefined;
  /** The roles or values that are compared, each with the last recorded call about it. Never empty, never in an order that counts. */
  readonly facts: readonly string[];
}

/** What is recorded of an allowance: what it is about comes first, so that no other thing has the same. */
export function coversOf({ subject, facts }: Objection<string>, { service }: AllowanceScope): readonly string[] {
  return [formatSubject(subject ?? serviceSubject(service)), ...new Set(facts.toSorted(byCodeUnit))];
}

export function allowanceCodeOf<Of extends string>(objection: Objection<Of>, scope: AllowanceScope): ObjectionCode<Of> {
  const { of, subject } = objection;
  const { service, lineage, epoch } = scope;
  const digits = sha256(JSON.stringify([service, lineage, epoch, of, ...coversOf(objection, scope)])).slice(0, 12);
  return { of, about: subject === undefined ? "" : subjectName(subject), digits };
}

function subjectName(subject: Subject): string {
  if (!["user", "team", "member", "key"].includes(subject.kind)) return formatSubject(subject);
  const { address, team, prefix } = namesIn(subject);
  return [team?.slice(team.indexOf("/") + 1), address, prefix].filter((part) => part !== undefined).join("/");
}

/** That the creation of a team by an open call was not done. Undefined where it creates no team. */
export function absentTeamCreationOf(open: OpenIntent): Objection | undefined {
  if (open.intent.kind !== "create-user" || open.intent.createsTeam === undefined) return undefined;
  const facts = [`call ${callIdOf(open)}, sent at ${open.at}`];
  return { of: "unknown-outcome", subject: teamSubject(open.intent.createsTeam.team), facts };
}

export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  readonly reportUnmanaged: boolean;
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  readonly allowed: readonly AllowanceCode[];
  /** Why they are allowed. Never absent where one of them needs it. */
  readonly reason?: AllowanceReason | undefined;
  /** The command line that plans the same again, as in `roster apply people`. Absent where a program plans. */
  readonly planAgain?: string | undefined;
  /** The same of `roster state resolve`, for the log of this plan. */
  readonly resolve?: string | undefined;
  /** In UTC, as in `2026-11-20`. */
  readonly today: string;
  /** As `consistencyWindow` takes it. */
  readonly consistency?: number | undefined;
  /** A person has set that a throttled write of this service never takes effect. */
  readonly throttling?: "no-effect" | undefined;
}

/** What a person types so that all of it is allowed: a whole command, or in a program the codes alone. */
export function allowCommand(
  codes: readonly string[],
  { planAgain, reason }: Pick<Policy, "planAgain" | "reason">,
): string {
  const allow = [...new Set(codes)].map((code) => `--allow ${code}`);
  const why = reason === undefined && codes.some(needsReason) ? ["--reason TEXT"] : [];
  return [...(planAgain === undefined ? [] : [planAgain]), ...allow, ...why].join(" ");
}

export type Selector =
  | { readonly kind: "user"; readonly address: EmailKey; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };

/** What can be set of guards, with people as somebody writes them or folded. */
export interface Guards<Address extends string> {
  /** Domains in which users may be created; absent where every domain is allowed. */
  readonly allowedEmailDomains?: readonly string[] | undefined;
  readonly nearDuplicate: "on" | "off";
  readonly privilegedRoles: { readonly roles: RoleSet; readonly people: readonly Address[] } | "off";
  /** People and keys, by address and prefix, that no action touches. */
  readonly protect: { readonly users: readonly Address[]; readonly keys: readonly string[] };
  readonly maxNewUsers: number | "off";
  readonly maxInvitations: number | "off";
  /** Roles may be taken from such a share, from 0 to 1, of the keys whose roles are known, and from `floor` keys in any case. */
  readonly maxRoleRemovals: { readonly ratio: number; readonly floor: number } | "off";
  /** So many people must hold the role after a plan that takes it from somebody. */
  readonly minAdmins: { readonly role: string; readonly count: number } | "off";
  /** People who must keep a privileged role that they have. */
  readonly requiredAdmins: readonly Address[];
}

/** What is in force: domains are in their ASCII form and in lower case. */
export interface GuardSettings extends Guards<EmailKey> {
  /** Absent of defaults. */
  readonly setAt?: Readonly<Partial<Record<LocatedSetting, Place>>> | undefined;
}

export const locatedSettings = ["guards.allowed-email-domains", "guards.privileged-roles", "protect"] as const;

export type LocatedSetting = (typeof locatedSettings)[number];
