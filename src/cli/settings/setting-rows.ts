import { defaultFeedSource, type SettingName } from "./decode-settings.ts";
import { guardSettingNames } from "./guard-settings.ts";

/** One setting, and all that can say it, in the order in which it counts. */
export interface SettingRow {
  readonly name: string;
  /** Without its dashes. */
  readonly flag?: string;
  /** Of ours and of others. */
  readonly variables?: readonly string[];
  /** The key in a settings file, and one within it where the row is about a part. */
  readonly setting?: SettingName;
  readonly part?: string;
  /** What holds where nothing is said. */
  readonly usual?: string;
  /** Only that it is set is shown. */
  readonly isSecret?: true;
}

/** Every setting: `doctor` shows those that are set, and the page about settings has them all. */
export const settingRows: readonly SettingRow[] = [
  { name: "endpoint", flag: "endpoint", variables: ["ROSTER_ENDPOINT"], setting: "endpoint" },
  {
    name: "apiKey",
    variables: ["ROSTER_API_KEY", "ROSTER_API_KEY_FILE"],
    setting: "apiKeyCommand",
    isSecret: true,
  },
  {
    name: "state",
    flag: "state",
    variables: ["ROSTER_STATE"],
    setting: "state",
    usual: "file:.roster/log.jsonl",
  },
  { name: "roster", setting: "roster", usual: "[.]" },
  { name: "account", flag: "account", variables: ["ROSTER_ACCOUNT"], setting: "account" },
  { name: "accounts", setting: "accounts" },
  {
    name: "parallelism",
    flag: "parallelism",
    variables: ["ROSTER_PARALLELISM"],
    setting: "parallelism",
    usual: "10",
  },
  {
    name: "service.consistency",
    variables: ["ROSTER_CONSISTENCY"],
    setting: "service",
    part: "consistency",
    usual: "15m",
  },
  { name: "service.throttling", setting: "service", part: "throttling", usual: "learned" },
  { name: "service.shapes", setting: "service", part: "shapes", usual: "the usual shapes" },
  { name: "webhook", variables: ["ROSTER_WEBHOOK"], isSecret: true },
  { name: "webhookSecret", variables: ["ROSTER_WEBHOOK_SECRET"], isSecret: true },
  { name: "proxy", variables: ["https_proxy", "HTTPS_PROXY"], setting: "proxy" },
  { name: "ca", variables: ["ROSTER_CA_FILE"], setting: "ca" },
  ...guardSettingNames.map((name) => ({ name: `guards.${name}`, setting: "guards", part: name }) as const),
  { name: "allow", flag: "allow", variables: ["ROSTER_ALLOW"] },
  { name: "reason", flag: "reason", variables: ["ROSTER_REASON"] },
  { name: "changeRequest", variables: ["ROSTER_CHANGE_REQUEST"] },
  { name: "approvers", variables: ["ROSTER_APPROVERS"] },
  { name: "protect", setting: "protect" },
  { name: "sections", setting: "sections", usual: "every file may have every section" },
  { name: "feed", setting: "feed", usual: `{ source: ${defaultFeedSource} }` },
];
