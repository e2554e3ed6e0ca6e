import type { Place } from "../../model/fact.ts";
import type { ProtectedResources } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import type { SectionRule } from "../../roster/section-rules.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import { errorAt, type MapEntry, type MapNode, type Node, type SourceRange } from "../../yaml/tree.ts";
import { decodeGuards, decodeProtect, type WrittenGuards } from "./guard-settings.ts";
import { decodeSections } from "./section-rules.ts";
import { decodeService, type ServiceSettings } from "./service-shapes.ts";
import type { ReportProblem } from "./setting-nodes.ts";

/** What a settings file may say. */
export interface WrittenSettings extends ServiceSettings {
  readonly endpoint?: string;
  readonly roster?: readonly string[];
  readonly account?: string;
  /** Where the account is named. */
  readonly accountAt?: Place;
  readonly accounts: ReadonlyMap<string, string>;
  /** Where each alias is written. */
  readonly accountsAt: ReadonlyMap<string, Place>;
  readonly state?: string;
  readonly parallelism?: number;
  readonly apiKeyCommand?: readonly string[];
  readonly proxy?: string;
  /** A file of certificates. */
  readonly ca?: string;
  readonly guards?: WrittenGuards;
  readonly protect?: ProtectedResources;
  readonly invitationDays?: number;
  /** Whether users are created whose domain has no dot. */
  readonly singleLabelDomains?: boolean;
  /** Whether a plan is rehearsed before it is shown or approved. */
  readonly rehearse?: boolean;
  /** The file in which people acknowledge what differs. */
  readonly acknowledgements?: string;
  /** What files may carry; absent where all of them may carry everything. */
  readonly sections?: readonly SectionRule[];
}

/** Every key of a settings file. What a pull request may do by it is decided in `settings-trust.ts`. */
export const settingNames = [
  "endpoint",
  "roster",
  "account",
  "accounts",
  "state",
  "parallelism",
  "apiKeyCommand",
  "proxy",
  "ca",
  "guards",
  "protect",
  "invitationDays",
  "singleLabelDomains",
  "rehearse",
  "acknowledgements",
  "sections",
  "service",
] as const;

export type SettingName = (typeof settingNames)[number];

/** Decodes a settings file, or says everything that is wrong with it. An empty file says nothing. */
export function decodeSettings(reading: YamlDocument): Result<WrittenSettings, readonly Diagnostic[]> {
  const faults: Diagnostic[] = [...reading.diagnostics];
  const report = (spot: SourceRange, message: string, hint?: string): undefined => {
    faults.push(errorAt(spot, { code: "bad-settings", message, ...(hint === undefined ? {} : { hint }) }));
  };
  const entries = reading.tree === undefined ? new Map<string, Node>() : known(reading.tree, report);
  const endpoint = text(entries.get("endpoint"), "endpoint", report);
  const account = text(entries.get("account"), "account", report);
  const state = text(entries.get("state"), "state", report);
  const roster = texts(entries.get("roster"), "roster", report);
  const apiKeyCommand = command(entries.get("apiKeyCommand"), report);
  const proxy = text(entries.get("proxy"), "proxy", report);
  const ca = text(entries.get("ca"), "ca", report);
  const parallelism = wholeNumber(entries.get("parallelism"), { name: "parallelism", most: 64 }, report);
  const accounts = aliases(entries.get("accounts"), report);
  const limits = decodeLimits(entries, report);
  const acknowledgements = text(entries.get("acknowledgements"), "acknowledgements", report);
  const sections = decodeSections(entries.get("sections"), report);
  const service = decodeService(entries.get("service"), report);
  if (faults.some(({ severity }) => severity === "error")) return problem(faults);
  return success({
    accounts,
    accountsAt: placesOf(entries.get("accounts")),
    ...placeOf(account, entries.get("account")),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(roster === undefined ? {} : { roster }),
    ...(account === undefined ? {} : { account }),
    ...(state === undefined ? {} : { state }),
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(apiKeyCommand === undefined ? {} : { apiKeyCommand }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(ca === undefined ? {} : { ca }),
    ...limits,
    ...(acknowledgements === undefined ? {} : { acknowledgements }),
    ...(sections === undefined ? {} : { sections }),
    ...service,
  });
}

function placeOf(account: string | undefined, node: Node | undefined): Pick<WrittenSettings, "accountAt"> {
  return account === undefined || node === undefined ? {} : { accountAt: node.place };
}

function placesOf(node: Node | undefined): ReadonlyMap<string, Place> {
  return new Map(node?.kind === "map" ? node.entries.map(({ key, value }) => [key.text, value.place]) : []);
}

/** What a plan may do, and how long it may wait for somebody. */
function decodeLimits(
  entries: ReadonlyMap<string, Node>,
  report: ReportProblem,
): Pick<WrittenSettings, "guards" | "protect" | "invitationDays" | "singleLabelDomains" | "rehearse"> {
  const guards = decodeGuards(entries.get("guards"), report);
  const protect = decodeProtect(entries.get("protect"), report);
  const invitationDays = wholeNumber(entries.get("invitationDays"), { name: "invitationDays", most: 366 }, report);
  const singleLabelDomains = yesOrNo(entries.get("singleLabelDomains"), "singleLabelDomains", report);
  const rehearse = yesOrNo(entries.get("rehearse"), "rehearse", report);
  return {
    ...(guards === undefined ? {} : { guards }),
    ...(protect === undefined ? {} : { protect }),
    ...(invitationDays === undefined ? {} : { invitationDays }),
    ...(singleLabelDomains === undefined ? {} : { singleLabelDomains }),
    ...(rehearse === undefined ? {} : { rehearse }),
  };
}

function known(tree: MapNode, report: ReportProblem): ReadonlyMap<string, Node> {
  for (const { key } of tree.entries.filter((entry) => !isKnown(entry))) {
    const close = closestMatch(key.text, settingNames);
    report(
      key,
      `There is no setting ${key.text}.`,
      close === undefined ? `There are ${settingNames.join(", ")}.` : `Did you mean ${close}?`,
    );
  }
  return new Map(tree.entries.map(({ key, value }) => [key.text, value]));
}

function isKnown({ key }: MapEntry): boolean {
  return isSettingName(key.text);
}

export function isSettingName(text: string): text is SettingName {
  return settingNames.some((name) => name === text);
}

function text(node: Node | undefined, name: string, report: ReportProblem): string | undefined {
  if (node === undefined) return undefined;
  if (node.kind === "scalar" && node.type === "string" && node.text !== "") return node.text;
  return report(node, `${name} is a text.`);
}

function yesOrNo(node: Node | undefined, name: string, report: ReportProblem): boolean | undefined {
  if (node === undefined) return undefined;
  if (node.kind === "scalar" && node.type === "boolean") return node.text === "true";
  return report(node, `${name} is true or false.`);
}

/** One text, or a list of texts. */
function texts(node: Node | undefined, name: string, report: ReportProblem): readonly string[] | undefined {
  if (node === undefined) return undefined;
  const items = node.kind === "list" ? node.items : [node];
  const read = items.map((item) => text(item, name, report));
  if (read.length === 0) return report(node, `${name} names nothing.`);
  return read.flatMap((item) => (item === undefined ? [] : [item]));
}

/** A list, because it is run without a shell. */
function command(node: Node | undefined, report: ReportProblem): readonly string[] | undefined {
  if (node === undefined || node.kind === "list") return texts(node, "apiKeyCommand", report);
  return report(node, "apiKeyCommand is a list: the program, then its arguments.", "Write [program, argument].");
}

function wholeNumber(
  node: Node | undefined,
  { name, most }: { readonly name: string; readonly most: number },
  report: ReportProblem,
): number | undefined {
  if (node === undefined) return undefined;
  const value = node.kind === "scalar" && node.type === "number" ? Number(node.text) : Number.NaN;
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  return report(node, `${name} is a whole number from 1 to ${most}.`);
}

function aliases(node: Node | undefined, report: ReportProblem): ReadonlyMap<string, string> {
  if (node === undefined) return new Map();
  if (node.kind !== "map") {
    report(node, "accounts maps short names to account identifiers.");
    return new Map();
  }
  return new Map(
    node.entries.flatMap(({ key, value }): [string, string][] => {
      const identifier = text(value, `accounts.${key.text}`, report);
      return identifier === undefined ? [] : [[key.text, identifier]];
    }),
  );
}
