import type { Ran, Stage } from "./stage.ts";

interface Finding {
  readonly blocking: boolean;
  readonly code: string;
}

/** What a command prints with `--format json`, as far as it is looked at. */
export interface RunDocument {
  readonly exit_code: number;
  readonly findings?: readonly Finding[];
  readonly run?: { readonly findings: readonly Finding[]; readonly outcomes: readonly { readonly outcome: string }[] };
  readonly error: { readonly code: string; readonly message: string } | null;
}

export function documentOf({ stdout }: Pick<Ran, "stdout">): RunDocument {
  return JSON.parse(stdout) as RunDocument;
}

/** What holds of every command, however it ends: it agrees with its document, is no defect, and no key is in what it prints or keeps. */
export function judgeOutput(
  { code, stdout, stderr }: Ran,
  stage: Pick<Stage, "server" | "keeping">,
): readonly string[] {
  const said = `${stdout}${stderr}`;
  const document = stdout.startsWith("{") ? documentOf({ stdout }) : undefined;
  const told = document?.exit_code ?? code;
  const secrets = secretsOf(stage);
  const kept = stage.keeping.text();
  return [
    ...(told === code ? [] : [`exit code ${code}, and the document says ${told}`]),
    ...(document?.error?.code === "internal" ? [`a defect: ${document.error.message}`] : []),
    ...(secrets.some((secret) => said.includes(secret)) ? ["the secret of a key is in the output"] : []),
    ...(secrets.some((secret) => kept.includes(secret)) ? ["the secret of a key is in the state"] : []),
  ];
}

function secretsOf({ server }: Pick<Stage, "server">): readonly string[] {
  const full = server.world.users.flatMap(({ accessKeys }) =>
    accessKeys.map(({ prefix }) => server.world.fullKey(prefix)),
  );
  return [server.key, ...full].map((key) => key.slice(key.indexOf(".") + 1));
}
