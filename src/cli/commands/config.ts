import { invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import { resolveTransport } from "../../library/network.ts";
import { readAllowances } from "../../library/planning/policy.ts";
import { secretsOfKey } from "../../library/secrets.ts";
import { type Diagnostic, type Result, success } from "../../model/result.ts";
import type { ConfigReport, IgnoredSettingValue, SettingReport, SettingValue } from "../../report/outcome.ts";
import { withoutSecrets } from "../../service/redact.ts";
import { endpointProblem, readKey } from "../../service/requests.ts";
import type { MapNode } from "../../yaml/source-text.ts";
import { readWebhook } from "../drift/webhook.ts";
import { type Host, isPipeline } from "../host.ts";
import { finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type ConfigFlags, type ConfigRow, configRows, nodeText, withoutPasswords } from "../settings/config-rows.ts";
import { keySource, keyText } from "../settings/credentials.ts";
import type { SettingName } from "../settings/decode-settings.ts";
import { variable } from "../settings/environment.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { locateSettings, readSettingsFile, type SettingsPlace, settingsTrust } from "../settings/settings-file.ts";
import { readLockOptions } from "../stores/lock.ts";
import { openStore } from "../stores/open-store.ts";
import { readDeadline } from "../time-limits.ts";
import { trustsCheckout } from "../trust/checkout.ts";

/**
 * Shows every setting, its value and where it comes from, and what is wrong with them. Works where they are wrong; runs no
 * command, connects to nothing, and shows no secret.
 */
export async function config(paths: readonly string[], flags: ConfigFlags & OutputFlags, host: Host): Promise<number> {
  const place = await locateSettings(host);
  const file = place === undefined ? success({ tree: undefined }) : await readSettingsFile(place, host);
  const settings = await readSettings(flags, host);
  const context: ConfigContext = {
    flags,
    paths,
    host,
    place,
    tree: file.ok ? file.value.tree : undefined,
    settings: settings.ok ? settings.value : undefined,
  };
  const key = await reportKey(context);
  const wrong = settings.ok ? await configFaults(settings.value, flags, host) : (settings.error.diagnostics ?? []);
  const faults = [...wrong, ...key.wrong];
  const base = { command: "config", tells: "success-only", diagnostics: [] } as const;
  const report = reportConfig(context, key.report);
  const stop = faults.length === 0 ? {} : { stop: invalidInput(faults) };
  return finish({ ...base, config: report, ...stop }, flags, host);
}

/** All that can say something, as it is. */
export interface ConfigContext {
  readonly flags: ConfigFlags;
  readonly paths: readonly string[];
  readonly host: Host;
  readonly place?: SettingsPlace | undefined;
  /** What stands in the settings file, whether or not it is right. */
  readonly tree?: MapNode | undefined;
  /** Absent where something is wrong with them. */
  readonly settings?: Settings | undefined;
}

/** Every setting with its value and where it comes from; the key has rules of its own. */
export function reportConfig(context: ConfigContext, key: SettingReport): ConfigReport {
  const { host, place } = context;
  const [endpoint, ...others] = configRows.map((row) => reportRow(row, context));
  return {
    ...(place === undefined
      ? {}
      : { file: { path: place.path, foundBy: place.foundBy, insideCheckout: place.insideCheckout } }),
    inPipeline: isPipeline(host),
    trusted: trustsCheckout(host),
    settings: [...(endpoint === undefined ? [] : [endpoint]), key, ...others],
  };
}

function reportRow(row: ConfigRow, context: ConfigContext): SettingReport {
  const note = noteOn(row, context);
  return { name: row.name, ...rankValues(valuesOf(row, context)), ...(note === undefined ? {} : { note }) };
}

/** Something that is said, and why it must not be taken from where it stands. */
export type RankedValue = SettingValue & { readonly refused?: string | undefined };

/** Of all that is said the first that is not refused is in force. */
export function rankValues(said: readonly RankedValue[]): Pick<SettingReport, "said" | "unused"> {
  const first = said.find((saying) => saying.refused === undefined);
  const unused = said.filter((saying) => saying !== first && saying.from.kind !== "default").map(unusedValue);
  return { ...(first === undefined ? {} : { said: { value: first.value, from: first.from } }), unused };
}

function unusedValue({ value, from, refused }: RankedValue): IgnoredSettingValue {
  return refused === undefined ? { value, from, why: "overridden" } : { value, from, why: "refused", because: refused };
}

function valuesOf(row: ConfigRow, context: ConfigContext): readonly RankedValue[] {
  const { flags, paths, host, settings } = context;
  const flag = row.flag?.said(flags, paths);
  const variables = (row.variables ?? []).flatMap((name) => {
    const value = host.env[name]?.trim() ?? "";
    return value === "" ? [] : [{ value, from: { kind: "variable", name } as const }];
  });
  const spoken: readonly SettingValue[] = [
    ...(row.flag === undefined || flag === undefined
      ? []
      : [{ value: flag, from: { kind: "flag", name: row.flag.name } as const }]),
    ...variables,
  ];
  const amounts = spoken.length > 0 || settings === undefined ? undefined : row.inForce?.(settings);
  const written = valueInFile(row, context, amounts);
  const otherwise = typeof row.usual === "function" ? row.usual(host) : row.usual;
  const usual = written === undefined ? (amounts ?? otherwise) : otherwise;
  return [
    ...spoken,
    ...(written === undefined ? [] : [written]),
    ...(usual === undefined ? [] : [{ value: usual, from: { kind: "default" } as const }]),
  ].map((saying) => ({ ...saying, value: row.isSecret ? "set" : withoutPasswords(saying.value) }));
}

function valueInFile({ setting, part }: ConfigRow, { tree, place, host }: ConfigContext, amounts: string | undefined) {
  const whole = tree?.entries.find(({ key }) => key.text === setting);
  const entry = part === undefined ? whole : within(whole?.value, part);
  if (setting === undefined || entry === undefined) return undefined;
  const from = { kind: "settings", place: entry.key.place } as const;
  return { value: amounts ?? nodeText(entry.value), from, refused: refusalReason(setting, { place, host }) };
}

/** Why a setting must not be taken from the file in which it stands. */
export function refusalReason(
  name: SettingName,
  { place, host }: Pick<ConfigContext, "place" | "host">,
): string | undefined {
  const isTaken = place?.insideCheckout !== true || !isPipeline(host) || trustsCheckout(host);
  const { inPipelines, because } = settingsTrust[name];
  return isTaken || inPipelines === "taken" ? undefined : because;
}

function within(node: MapNode["entries"][number]["value"] | undefined, part: string) {
  return node?.kind === "map" ? node.entries.find(({ key }) => key.text === part) : undefined;
}

function noteOn({ name }: ConfigRow, { host, settings }: ConfigContext): string | undefined {
  if (name !== "state" || settings?.state !== undefined || variable(host, "ROSTER_STATE") !== undefined)
    return undefined;
  return isPipeline(host) ? "not set: with CI set it must be given" : undefined;
}

/** That there is a key and from where, with its public prefix alone, and what is wrong with it. */
export interface KeyReport {
  readonly report: SettingReport;
  readonly wrong: readonly Diagnostic[];
}

/** Looks at the key without sending it, and without running a command. */
export async function reportKey(context: ConfigContext): Promise<KeyReport> {
  const { host, settings } = context;
  const source = settings === undefined ? undefined : keySource(settings, host);
  const staysHome = source?.ok === false && codesOf(source.error).includes("untrusted");
  const refused = staysHome ? "it would go to an endpoint that a change to the checkout can edit" : undefined;
  const env = await fromEnvironment(host);
  const said = [...env.said.map((saying) => ({ ...saying, refused })), ...fromCommand(context)];
  const faults =
    source?.ok === false && !codesOf(source.error).includes("no-key") ? (source.error.diagnostics ?? []) : [];
  return {
    report: { name: "apiKey", ...rankValues(said) },
    wrong: [...faults, ...env.wrong],
  };
}

interface EnvironmentKey extends Omit<KeyReport, "report"> {
  readonly said: readonly SettingValue[];
}

async function fromEnvironment(host: Host): Promise<EnvironmentKey> {
  const text = variable(host, "ROSTER_API_KEY");
  if (text !== undefined) return keyOf(text, { kind: "variable", name: "ROSTER_API_KEY" }, host);
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (path === undefined) return { said: [], wrong: [] };
  const from = { kind: "variable", name: "ROSTER_API_KEY_FILE" } as const;
  const read = await keyText({ kind: "file", path }, host);
  if (!read.ok) return { said: [{ value: `in ${path}`, from }], wrong: read.error.diagnostics ?? [] };
  const { said, ...rest } = keyOf(read.value, from, host);
  return { ...rest, said: said.map((one) => ({ ...one, value: `${one.value}, in ${path}` })) };
}

/** From now on no output holds the key. */
function keyOf(text: string, from: SettingValue["from"], host: Host): EnvironmentKey {
  for (const secret of secretsOfKey(text)) host.secrets.keep(secret);
  const key = readKey(text);
  if (!key.ok) return { said: [{ value: "set", from }], wrong: invalidSetting("bad-key", key.error).diagnostics ?? [] };
  const dot = key.value.indexOf(".");
  return {
    said: [{ value: dot > 0 ? `set, with the prefix ${key.value.slice(0, dot)}` : "set", from }],
    wrong: [],
  };
}

function fromCommand({ tree, ...context }: ConfigContext): readonly RankedValue[] {
  const entry = tree?.entries.find(({ key }) => key.text === "apiKeyCommand");
  if (entry === undefined) return [];
  const value = `${withoutSecrets(nodeText(entry.value))}, not run here`;
  return [
    { value, from: { kind: "settings", place: entry.key.place }, refused: refusalReason("apiKeyCommand", context) },
  ];
}

function codesOf({ diagnostics = [] }: RosterError): readonly string[] {
  return diagnostics.map(({ code }) => code);
}

/** Whatever would stop a command that uses the settings, beside the key. What is not set is nothing wrong. Connects nothing. */
export async function configFaults(settings: Settings, flags: ConfigFlags, host: Host): Promise<readonly Diagnostic[]> {
  const { lockTimeout, deadline } = flags;
  return [
    ...(await endpointFaults(settings, host)),
    ...(await stateFaults(settings, host)),
    ...faultsOf(readLockOptions({ lockTimeout }, host)),
    ...faultsOf(readDeadline({ deadline }, host)),
    ...faultsOf(readAllowances([], variable(host, "ROSTER_ALLOW"))),
    ...faultsOf(await readWebhook({}, host)),
  ];
}

async function endpointFaults({ endpoint, network }: Settings, host: Host): Promise<readonly Diagnostic[]> {
  if (endpoint === undefined) return [];
  const wrong = endpointProblem(endpoint.value);
  if (wrong !== undefined) return invalidSetting("bad-value", wrong).diagnostics ?? [];
  return faultsOf(await resolveTransport(new URL(endpoint.value).origin, network, host));
}

async function stateFaults(settings: Settings, host: Host): Promise<readonly Diagnostic[]> {
  if (settings.state === undefined) return [];
  const store = await openStore(settings, host);
  if (store.ok) await store.value.close();
  return faultsOf(store);
}

function faultsOf(result: Result<unknown, RosterError>): readonly Diagnostic[] {
  return result.ok ? [] : (result.error.diagnostics ?? []);
}
