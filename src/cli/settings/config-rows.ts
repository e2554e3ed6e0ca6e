import { acknowledgementsFileName } from "../../library/planning/load-roster.ts";
import { defaultDueDays } from "../../model/drift.ts";
import { defaultGuards, defaultInvitationDays } from "../../model/policy.ts";
import type { Node } from "../../yaml/source-text.ts";
import { type Host, isPipeline } from "../host.ts";
import { defaultFeedSource, type SettingName } from "./decode-settings.ts";
import { guardSettingNames } from "./guard-settings.ts";
import type { SettingFlags, Settings } from "./settings.ts";

/** The flags that `roster config` takes, to show what they would change. */
export interface ConfigFlags extends SettingFlags {
  readonly lockTimeout?: string | undefined;
  readonly deadline?: string | undefined;
}

/** One setting, and all that can say it, in the order in which it counts. */
export interface ConfigRow {
  readonly name: string;
  readonly flag?: {
    readonly name: string;
    readonly said: (flags: ConfigFlags, paths: readonly string[]) => string | undefined;
  };
  /** Of ours and of others. */
  readonly variables?: readonly string[];
  /** The key in a settings file, and one within it where the row is about a part. */
  readonly setting?: SettingName;
  readonly part?: string;
  /** What holds where nothing is said. */
  readonly usual?: string | ((host: Host) => string | undefined);
  /** What the file or the default amounts to, where that is more than what is written. */
  readonly inForce?: (settings: Settings) => string | undefined;
  /** Only that it is set is shown. */
  readonly isSecret?: true;
}

/** Every setting but the key, which has rules of its own. */
export const configRows: readonly ConfigRow[] = [
  { name: "endpoint", flag: flagOf("endpoint"), variables: ["ROSTER_ENDPOINT"], setting: "endpoint" },
  {
    name: "state",
    flag: flagOf("state"),
    variables: ["ROSTER_STATE"],
    setting: "state",
    usual: (host) => (isPipeline(host) ? undefined : "file:.roster/state.json"),
    inForce: ({ state }) => state?.value,
  },
  {
    name: "audit",
    flag: flagOf("audit"),
    variables: ["ROSTER_AUDIT"],
    setting: "audit",
    usual: "with the state",
    inForce: ({ audit }) => audit?.value,
  },
  {
    name: "roster",
    flag: { name: "PATH", said: (_, paths) => (paths.length === 0 ? undefined : valueText(paths)) },
    setting: "roster",
    usual: "[.]",
    inForce: ({ roster }) => valueText(roster),
  },
  { name: "account", flag: flagOf("account"), variables: ["ROSTER_ACCOUNT"], setting: "account" },
  { name: "accounts", setting: "accounts" },
  {
    name: "parallelism",
    flag: flagOf("parallelism"),
    variables: ["ROSTER_PARALLELISM"],
    setting: "parallelism",
    usual: "10",
  },
  {
    name: "service.consistency",
    flag: { name: "--consistency", said: ({ consistency }) => consistency },
    variables: ["ROSTER_CONSISTENCY"],
    setting: "service",
    part: "consistency",
    usual: "learned; 15m at first",
  },
  {
    name: "lockTimeout",
    flag: { name: "--lock-timeout", said: ({ lockTimeout }) => lockTimeout },
    variables: ["ROSTER_LOCK_TIMEOUT"],
    usual: "0",
  },
  { name: "deadline", flag: { name: "--deadline", said: ({ deadline }) => deadline }, variables: ["ROSTER_DEADLINE"] },
  { name: "webhook", variables: ["ROSTER_WEBHOOK"], isSecret: true },
  { name: "webhookSecret", variables: ["ROSTER_WEBHOOK_SECRET"], isSecret: true },
  { name: "webhookSecretFile", variables: ["ROSTER_WEBHOOK_SECRET_FILE"] },
  { name: "proxy", variables: ["https_proxy", "HTTPS_PROXY"], setting: "proxy" },
  { name: "noProxy", variables: ["no_proxy", "NO_PROXY"] },
  { name: "ca", variables: ["ROSTER_CA_FILE"], setting: "ca", inForce: ({ network }) => network.ca?.value },
  ...guardSettingNames.map(guardRow),
  { name: "allow", variables: ["ROSTER_ALLOW"] },
  { name: "reason", variables: ["ROSTER_REASON"] },
  { name: "changeRequest", variables: ["ROSTER_CHANGE_REQUEST"] },
  { name: "approvers", variables: ["ROSTER_APPROVERS"] },
  { name: "protect", setting: "protect" },
  { name: "invitationDays", setting: "invitationDays", usual: String(defaultInvitationDays) },
  { name: "singleLabelDomains", setting: "singleLabelDomains", usual: "false" },
  {
    name: "acknowledgements",
    setting: "acknowledgements",
    usual: acknowledgementsFileName,
    inForce: ({ acknowledgements }) => acknowledgements.value,
  },
  { name: "todo.due", setting: "todo", part: "due", usual: `{ default: ${defaultDueDays}d }` },
  { name: "sections", setting: "sections", usual: "every file may have every section" },
  { name: "feed", setting: "feed", usual: `{ source: ${defaultFeedSource} }` },
  { name: "fleet.keyVariables", setting: "fleet", part: "keyVariables", usual: "[]" },
  { name: "service", setting: "service", usual: "answers of the usual shapes" },
];

function flagOf(name: "endpoint" | "state" | "audit" | "account" | "parallelism"): NonNullable<ConfigRow["flag"]> {
  return { name: `--${name}`, said: (flags) => flags[name] };
}

function guardRow(name: string): ConfigRow {
  const key = name.replace(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
  const [, usual] = Object.entries(defaultGuards).find(([guard]) => guard === key) ?? [];
  const row = { name: `guards.${name}`, setting: "guards", part: name } as const;
  return usual === undefined ? row : { ...row, usual: valueText(usual) };
}

/** What stands in YAML, on one line and as a person would say it: `[a, b]`, `{ ratio: 0.25, floor: 10 }`. */
export function nodeText(node: Node): string {
  switch (node.kind) {
    case "scalar":
      return node.text;
    case "list":
      return listText(node.items.map(nodeText));
    case "map":
      return mapText(node.entries.map(({ key, value }) => [key.text, nodeText(value)]));
  }
}

/** The same for a value of ours. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return listText(value.map(valueText));
  if (typeof value !== "object" || value === null) return String(value);
  return mapText(Object.entries(value).map(([key, one]) => [key, valueText(one)]));
}

function listText(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

function mapText(entries: readonly (readonly [string, string])[]): string {
  return entries.length === 0 ? "{}" : `{ ${entries.map(([key, value]) => `${key}: ${value}`).join(", ")} }`;
}

/** A text without what stands for a password in an address. */
export function withoutPasswords(text: string): string {
  return text
    .replace(/(?<=:\/\/)[^/?#\s,]*@/gu, "…@")
    .replace(/(?<=[?&](?:password|token|secret|signature|sig|key)=)[^&#\s]+/giu, "…");
}
