import type { Place } from "../../model/fact.ts";
import type { ProtectedResources } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import type { SectionRule } from "../../roster/section-rules.ts";
import { pointerProblem, type ShapePart, type Shapes, shapeFields } from "../../service/shapes.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import { errorAt, type SourceRange } from "../../yaml/source-text.ts";
import type { MapEntry, MapNode, Node, ScalarNode } from "../../yaml/tree.ts";
import { readDuration } from "../duration.ts";
import { decodeGuards, decodeProtect, type WrittenGuards } from "./decode-guards.ts";
import { decodeSections, type ReportProblem } from "./decode-nodes.ts";

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

/** What settings say of one service. */
interface ServiceSettings {
  /** Where its answers hold what cannot be found by itself. */
  readonly shapes?: Shapes;
  /** Milliseconds within which its reads may not show a write. */
  readonly consistency?: number;
}

const serviceNames: readonly string[] = ["shapes", "consistency"];

/** Decodes `service:`. */
function decodeService(node: Node | undefined, report: ReportProblem): ServiceSettings {
  const service = optionalMapAt(node, "service", report);
  if (service === undefined) return {};
  for (const { key } of service.entries) {
    if (!serviceNames.includes(key.text)) unknownKey(key, "service", serviceNames, report);
  }
  const nodeOf = (name: string) => service.entries.find(({ key }) => key.text === name)?.value;
  const shapes = decodeShapes(nodeOf("shapes"), report);
  const consistency = decodeConsistency(nodeOf("consistency"), report);
  return { ...(shapes === undefined ? {} : { shapes }), ...(consistency === undefined ? {} : { consistency }) };
}

function decodeConsistency(node: Node | undefined, report: ReportProblem): number | undefined {
  if (node === undefined) return undefined;
  const read = readDuration(node.kind === "scalar" ? node.text : "");
  if (read.ok) return read.value;
  return report(node, `service.consistency is not understood: ${read.error}.`, "Write it like 90s or 20m.");
}

function decodeShapes(node: Node | undefined, report: ReportProblem): Shapes | undefined {
  const shapes = optionalMapAt(node, "service.shapes", report);
  if (shapes === undefined) return undefined;
  const parts = shapes.entries.flatMap(({ key, value }): [string, object][] => {
    if (!isPart(key.text)) return unknownKey(key, "service.shapes", Object.keys(shapeFields), report);
    const fields = decodePart(key.text, value, report);
    return fields === undefined ? [] : [[key.text, fields]];
  });
  return Object.fromEntries(parts);
}

function decodePart(part: ShapePart, node: Node, report: ReportProblem): Readonly<Record<string, string>> | undefined {
  const name = `service.shapes.${part}`;
  const fields = optionalMapAt(node, name, report);
  if (fields === undefined) return undefined;
  const pointers = fields.entries.flatMap(({ key, value }): [string, string][] => {
    if (!isField(part, key.text)) return unknownKey(key, name, shapeFields[part], report);
    const pointer = pointerAt(value, `${name}.${key.text}`, report);
    return pointer === undefined ? [] : [[key.text, pointer]];
  });
  return Object.fromEntries(pointers);
}

function pointerAt(node: Node, name: string, report: ReportProblem): string | undefined {
  if (node.kind !== "scalar" || node.type !== "string") {
    return report(node, `${name} is a JSON Pointer.`, "Write it like /payload/rows.");
  }
  const wrong = pointerProblem(node.text);
  return wrong === undefined ? node.text : report(node, `${name}: ${wrong}.`);
}

function optionalMapAt(node: Node | undefined, name: string, report: ReportProblem): MapNode | undefined {
  if (node === undefined || node.kind === "map") return node;
  return report(node, `${name} is a map.`, "The README shows an example.");
}

function unknownKey(key: ScalarNode, of: string, known: readonly string[], report: ReportProblem): [] {
  const close = closestMatch(key.text, known);
  const hint = close === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${close}?`;
  report(key, `There is no ${of}.${key.text}.`, hint);
  return [];
}

function isPart(name: string): name is ShapePart {
  return Object.hasOwn(shapeFields, name);
}

function isField(part: ShapePart, name: string): boolean {
  return shapeFields[part].some((field) => field === name);
}
