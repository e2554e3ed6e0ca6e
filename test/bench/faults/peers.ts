import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { KeptPrefixes } from "./judge.ts";

export interface Peer {
  readonly name: string;
  readonly folder: string;
  /** Its version, or those of what it is made of; undefined where it is not installed here. */
  readonly version: () => string | undefined;
  readonly prepare?: readonly string[];
  readonly run: readonly string[];
  readonly kept: (directory: string) => KeptPrefixes;
}

const program = resolve("dist/main.js");

export const peers: readonly Peer[] = [
  {
    name: "roster",
    folder: "roster",
    version: () => firstLine(process.execPath, [program, "--version"]),
    run: [process.execPath, program, "apply", "--auto-approve"],
    kept: keptByRoster,
  },
  {
    name: "Terraform",
    folder: "terraform",
    version: () => firstLine("terraform", ["version"]),
    prepare: ["terraform", "init", "-no-color"],
    run: ["terraform", "apply", "-auto-approve", "-no-color", "-input=false"],
    kept: keptByTerraform,
  },
  {
    name: "Ansible",
    folder: "ansible",
    version: () => firstLine("ansible-playbook", ["--version"]),
    run: ["ansible-playbook", "playbook.yaml"],
    kept: keptInJson,
  },
  {
    name: "curl and jq",
    folder: "script",
    version: () => {
      const parts = [
        firstLine("bash", ["--version"]),
        firstLine("curl", ["--version"]),
        firstLine("jq", ["--version"]),
      ];
      return parts.includes(undefined) ? undefined : parts.map((part) => part?.replace(/ \(.*/u, "")).join(", ");
    },
    run: ["./apply.sh"],
    kept: keptInJson,
  },
];

/** No settings of whoever runs this, and no call home. */
export function peerEnvironment(directory: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    LANG: "C.UTF-8",
    CHECKPOINT_DISABLE: "1",
    ANSIBLE_NOCOLOR: "1",
    ANSIBLE_LOCALHOST_WARNING: "false",
  };
}

function firstLine(command: string, args: readonly string[]): string | undefined {
  try {
    const env = peerEnvironment("/nonexistent");
    return execFileSync(command, args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).split("\n")[0];
  } catch {
    return undefined;
  }
}

function keptByRoster(directory: string): KeptPrefixes {
  const state = JSON.parse(
    execFileSync(process.execPath, [program, "state", "show", "--format", "json"], {
      cwd: directory,
      encoding: "utf8",
      env: peerEnvironment(directory),
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as {
    readonly memberships: readonly { readonly address: string; readonly team: string; readonly prefix?: string }[];
    readonly teams: readonly { readonly team: string; readonly name: string }[];
  };
  const names = new Map(state.teams.map(({ team, name }) => [team, name]));
  return state.memberships.flatMap(({ address, team, prefix }) =>
    prefix === undefined ? [] : [{ team: names.get(team) ?? team, email: address, prefix }],
  );
}

/** One file for each key: `prefixes/TEAM EMAIL`. */
function keptByTerraform(directory: string): KeptPrefixes {
  const folder = join(directory, "prefixes");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => {
    const space = file.lastIndexOf(" ");
    const prefix = readFileSync(join(folder, file), "utf8").trim();
    return { team: file.slice(0, space), email: file.slice(space + 1), prefix };
  });
}

function keptInJson(directory: string): KeptPrefixes {
  const file = join(directory, "prefixes.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as KeptPrefixes) : [];
}
