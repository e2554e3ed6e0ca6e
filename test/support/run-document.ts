import type { Ran, Stage } from "./stage.ts";

interface Finding {
  readonly code: string;
  readonly subject: string;
  readonly blocking: boolean;
}

export interface DriftItem {
  readonly class: string;
  readonly code: string;
  readonly subject: string;
  readonly counts: string;
  readonly since?: string | null;
  readonly accepted?: { readonly is: string } | null;
  readonly outside?: readonly { readonly is: string; readonly privileged: readonly string[] }[] | null;
}

/** What a command prints with `--format json`, as far as it is looked at. */
export interface RunDocument {
  readonly exit_code?: number;
  readonly actions?: readonly { readonly id: string }[];
  readonly findings?: readonly Finding[];
  readonly reading?: { readonly everyone: unknown; readonly capabilities: unknown };
  readonly run?: {
    readonly ended: { readonly how: string; readonly why?: string };
    readonly findings: readonly Finding[];
    readonly keys: readonly { readonly email: string }[];
    readonly outcomes: readonly {
      readonly action: string;
      readonly outcome: string;
      readonly why?: string;
      readonly failure?: { readonly code: string };
    }[];
  };
  readonly drift?: {
    readonly items: readonly DriftItem[];
    readonly privileged_gains: number;
    readonly tasks: { readonly open: number; readonly new: number; readonly closed: number };
  };
  readonly diagnostics?: readonly { readonly code: string }[];
  readonly error?: { readonly code: string; readonly message: string } | null;
}

export function documentOf({ stdout }: Pick<Ran, "stdout">): RunDocument {
  return JSON.parse(stdout) as RunDocument;
}

/** What holds of every command, however it ends: it agrees with its document, is no defect, and no key is in what it prints or keeps. */
export function judgeOutput({ code, stdout, stderr }: Ran, stage: Pick<Stage, "server" | "keeping">) {
  const said = `${stdout}${stderr}`;
  const document = stdout.startsWith("{") ? documentOf({ stdout }) : undefined;
  const told = document?.exit_code ?? code;
  const { key, world } = stage.server;
  const full = world.users.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => world.fullKey(prefix)));
  const secrets = [key, ...full].map((one) => one.slice(one.indexOf(".") + 1));
  const kept = stage.keeping.text();
  return [
    ...(told === code ? [] : [`exit code ${code}, and the document says ${told}`]),
    ...(document?.error?.code === "internal" ? [`a defect: ${document.error.message}`] : []),
    ...(secrets.some((secret) => said.includes(secret)) ? ["the secret of a key is in the output"] : []),
    ...(secrets.some((secret) => kept.includes(secret)) ? ["the secret of a key is in the state"] : []),
  ];
}
