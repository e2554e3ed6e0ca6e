import type { Diagnostic } from "../../model/result.ts";
import type { SettingReport, SettingValue } from "../../report/outcome.ts";
import { readKey } from "../../service/endpoint.ts";
import { withoutSecrets } from "../../service/redact.ts";
import type { Host } from "../host.ts";
import { nodeText } from "../output/plain-text.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { keySource, keyText } from "./api-key.ts";
import { type ConfigContext, type RankedValue, rankValues, refusalReason } from "./config-told.ts";
import { variable } from "./environment.ts";

/** That there is a key and from where, with its public prefix alone; what is wrong with it; and what no output may hold. */
export interface KeyReport {
  readonly told: SettingReport;
  readonly wrong: readonly Diagnostic[];
  readonly secret?: string;
}

/** Looks at the key without sending it, and without running a command. */
export async function reportKey(ground: ConfigContext): Promise<KeyReport> {
  const { host, settings } = ground;
  const source = settings === undefined ? undefined : keySource(settings, host);
  const staysHome = source?.ok === false && codesOf(source.error).includes("key-stays-home");
  const refused = staysHome ? "it would go to an endpoint that a change to the checkout can edit" : undefined;
  const env = await fromEnvironment(host);
  const said = [...env.said.map((saying) => ({ ...saying, refused })), ...fromCommand(ground)];
  const untold =
    source?.ok === false && !codesOf(source.error).includes("no-key") ? (source.error.diagnostics ?? []) : [];
  return {
    told: { name: "apiKey", ...rankValues(said) },
    wrong: [...untold, ...env.wrong],
    ...(env.secret === undefined ? {} : { secret: env.secret }),
  };
}

interface EnvironmentKey extends Omit<KeyReport, "told"> {
  readonly said: readonly SettingValue[];
}

async function fromEnvironment(host: Host): Promise<EnvironmentKey> {
  const text = variable(host, "ROSTER_API_KEY");
  if (text !== undefined) return keyOf(text, { kind: "variable", name: "ROSTER_API_KEY" });
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (path === undefined) return { said: [], wrong: [] };
  const from = { kind: "variable", name: "ROSTER_API_KEY_FILE" } as const;
  const read = await keyText({ kind: "file", path }, host);
  if (!read.ok) return { said: [{ value: `in ${path}`, from }], wrong: read.error.diagnostics ?? [] };
  const { said, ...rest } = keyOf(read.value, from);
  return { ...rest, said: said.map((one) => ({ ...one, value: `${one.value}, in ${path}` })) };
}

function keyOf(text: string, from: SettingValue["from"]): EnvironmentKey {
  const key = readKey(text);
  const secret = text.trim();
  if (!key.ok)
    return { said: [{ value: "set", from }], wrong: invalidSetting("bad-key", key.error).diagnostics ?? [], secret };
  const dot = key.value.indexOf(".");
  return {
    said: [{ value: dot > 0 ? `set, with the prefix ${key.value.slice(0, dot)}` : "set", from }],
    wrong: [],
    secret: key.value,
  };
}

function fromCommand({ tree, ...ground }: ConfigContext): readonly RankedValue[] {
  const entry = tree?.entries.find(({ key }) => key.text === "apiKeyCommand");
  if (entry === undefined) return [];
  const value = `${withoutSecrets(nodeText(entry.value))}, not run here`;
  return [
    { value, from: { kind: "settings", place: entry.key.place }, refused: refusalReason("apiKeyCommand", ground) },
  ];
}

function codesOf({ diagnostics = [] }: CommandError): readonly string[] {
  return diagnostics.map(({ code }) => code);
}
