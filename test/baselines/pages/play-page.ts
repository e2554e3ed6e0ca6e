import { execFileSync } from "node:child_process";
import { exampleFiles, exampleSeed } from "../examples.ts";
import { type RanCommand, type Stage, setStage } from "../stage.ts";
import { steady } from "../steady.ts";
import { applyDiff, type Block, blocksOf } from "./blocks.ts";

interface PageStage {
  /** A folder of `examples` whose files are there from the start. */
  readonly example?: string;
  readonly seed?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type ServiceChange =
  | KeyChange
  | { readonly email: string; readonly becomes: string }
  | { readonly remove: string; readonly from: string };

interface KeyChange {
  readonly roles: readonly string[];
  readonly of: string;
  readonly in: string;
}

interface Progress {
  stage: Stage | undefined;
  readonly ran: RanCommand[];
  next: Readonly<Record<string, string>>;
}

/** Runs the commands of a page in their order, and returns the page with what they print now. */
export async function playPage(page: string): Promise<string> {
  const progress: Progress = { stage: undefined, ran: [], next: {} };
  const pieces: string[] = [];
  let copied = 0;
  try {
    for (const block of blocksOf(page)) {
      const text = await play(block, progress);
      if (text === undefined || block.kind !== "code") continue;
      const start = block.at + `\`\`\`${block.language}\n`.length;
      pieces.push(page.slice(copied, start), text);
      copied = start + block.text.length;
    }
  } finally {
    progress.stage?.close();
  }
  return [...pieces, page.slice(copied)].join("");
}

/** The text that a console block has now; nothing for other blocks. */
async function play(block: Block, progress: Progress): Promise<string | undefined> {
  if (block.kind === "instruction") {
    await follow(block.name, block.value, progress);
    return undefined;
  }
  const { next } = progress;
  progress.next = {};
  if (next["write"] !== undefined) await (await stageOf(progress)).write({ [next["write"]]: block.text });
  if (next["change"] !== undefined) await change(next["change"], block.text, await stageOf(progress));
  if (!/^\$ /mu.test(block.text)) return undefined;
  const commands = [...block.text.matchAll(/^\$ (.*)$/gmu)].map(([, command = ""]) => command);
  const outputs: string[] = [];
  for (const command of commands) outputs.push(`$ ${command}\n${await output(command, next, progress)}`);
  return block.language === "console" ? outputs.join("") : undefined;
}

async function follow(name: string, value: string, progress: Progress): Promise<void> {
  if (name === "stage") {
    progress.stage?.close();
    progress.stage = await openStage(JSON.parse(value) as PageStage);
    progress.ran.splice(0);
  } else if (name === "service") {
    changeService(JSON.parse(value) as ServiceChange, await stageOf(progress));
  } else {
    progress.next = { ...progress.next, [name]: value };
  }
}

async function stageOf(progress: Progress): Promise<Stage> {
  progress.stage ??= await openStage({});
  return progress.stage;
}

function openStage({ example, seed, env = {} }: PageStage): Promise<Stage> {
  return setStage({
    ...(example === undefined ? {} : { files: exampleFiles(example) }),
    ...(seed === undefined ? {} : { seed: exampleSeed(seed) }),
    env: { ROSTER_PARALLELISM: "1", ...env },
  });
}

async function change(file: string, diff: string, stage: Stage): Promise<void> {
  await stage.write({ [file]: applyDiff(stage.files().get(file) ?? "", diff) });
}

function changeService(wanted: ServiceChange, { world }: Stage): void {
  if ("becomes" in wanted) world.changeEmail(wanted.email, wanted.becomes);
  else if ("remove" in wanted) world.removeMember(wanted.from, wanted.remove);
  else world.setKeyRoles(prefixOf(wanted, world), wanted.roles);
}

function prefixOf({ of, in: name }: KeyChange, { users, teams }: Stage["world"]): string {
  const team = teams.find((one) => one.name === name)?.identifier;
  const user = users.find(({ email }) => email === of);
  const key = user?.accessKeys.find((one) => one.team?.identifier === team);
  if (key === undefined) throw new Error(`${of} has no key of ${name}`);
  return key.prefix;
}

/** Commands that prepare a shell. The page has a directory and an environment of its own. */
const preparing = /^(?:cd|cp|export|npm|npx|git|ls|cat) /u;
const filing = /^(?:mkdir|mv) /u;
/** Commands that bring a service of their own, and go on until they are stopped. */
const ongoing = /^roster (?:serve|demo)\b/u;

async function output(command: string, next: Progress["next"], progress: Progress): Promise<string> {
  if (preparing.test(command) || ongoing.test(command)) return "";
  if (command === "echo $?") return `${progress.ran.at(-1)?.code ?? 0}\n`;
  if (filing.test(command)) {
    execFileSync("sh", ["-c", command], { cwd: (await stageOf(progress)).directory });
    return "";
  }
  const [program, ...words] = wordsOf(command);
  if (program !== "roster") throw new Error(`a page runs a command that no test knows: ${command}`);
  const stage = await stageOf(progress);
  const asks =
    words[0] === "apply" && !words.includes("--auto-approve") && !words.some((word) => word.endsWith(".json"));
  const step = asks ? { words, terminal: { columns: 100, types: "yes\n" } } : { words };
  const ran = await stage.run(step);
  progress.ran.push(ran);
  const expected = Number(next["exit"] ?? 0);
  if (ran.code !== expected) throw new Error(`\`${command}\` ends with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
  const all = steady(`${ran.stdout}${[0, 2, 9].includes(ran.code) ? "" : ran.stderr}`, stage.directory);
  // CSV ends its lines with CRLF, and an editor of the page would not keep that.
  return shortened(all.replaceAll("\r\n", "\n"), next);
}

/** Words as a shell splits them, with quotes. */
function wordsOf(command: string): readonly string[] {
  const [line = ""] = command.split(/\s+#/u);
  return [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

function shortened(text: string, { first, last }: Progress["next"]): string {
  if (first === undefined && last === undefined) return text;
  const paragraphs = text.trimEnd().split("\n\n");
  const kept = first === undefined ? paragraphs.slice(-Number(last)) : paragraphs.slice(0, Number(first));
  const cut = kept.length < paragraphs.length;
  const parts = [
    ...(cut && first === undefined ? ["…\n"] : []),
    `${kept.join("\n\n")}\n`,
    ...(cut && first !== undefined ? ["…\n"] : []),
  ];
  return parts.join("");
}
