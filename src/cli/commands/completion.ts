import type { Command } from "commander";
import { commandsWithin } from "../command-line/commands.ts";
import type { Host } from "../host.ts";
import type { EndedCommand } from "../run-command.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

export function completion(shell: Shell, _flags: object, host: Host, { parent }: Command): EndedCommand {
  if (parent !== null) host.stdout.write(completionScript(shell, parent));
  return { exitCode: 0 };
}

interface Place {
  readonly path: string;
  readonly words: readonly string[];
  readonly flags: readonly { readonly name: string; readonly takes: "nothing" | "a value" | readonly string[] }[];
}

export function completionScript(shell: Shell, program: Command): string {
  const places = commandsWithin(program).map(({ path, command }): Place => {
    const names = command.commands.map((one) => one.name());
    const choices = command.registeredArguments[0]?.argChoices ?? [];
    const flags = command.options.flatMap(({ long, required, optional, argChoices }): Place["flags"] => {
      const takes = argChoices ?? (required || optional ? "a value" : "nothing");
      return long ? [{ name: long, takes }] : [];
    });
    return { path: `roster ${path}`.trim(), words: [...names, ...choices], flags };
  });
  return shell === "fish" ? fishScript(places) : bashScript(shell, places);
}

/** zsh runs it as bash does, by its own emulation. */
function bashScript(shell: Shell, places: readonly Place[]): string {
  const values = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ name, takes }) => {
      if (takes === "nothing") return [];
      return `    "${path} ${name}") words="${takes === "a value" ? "" : takes.join(" ")}" ;;\n`;
    }),
  );
  const others = places.map(
    ({ path, words, flags }) =>
      `      "${path}") words="${[...words, ...flags.map(({ name }) => name)].join(" ")}" ;;\n`,
  );
  const start = shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  const arrays = shell === "zsh" ? "  setopt localoptions ksharrays\n" : "";
  return `# Completion of roster for ${shell}
${start}_roster() {
${arrays}  local path=roster word words= last="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${quoted(places).join(" | ")}) path="$path $word" ;;
    esac
  done
  case "$path $before" in
${values.join("")}    *) case "$path" in
${others.join("")}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$last"))
}
complete -o default -F _roster roster
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, flags }) => {
    const here = `complete -c roster -n '__roster_at "${path}"'`;
    return [
      ...(words.length === 0 ? [] : [`${here} -a '${words.join(" ")}'`]),
      ...flags.map(({ name, takes }) => {
        const flag = `${here} -l ${name.slice(2)}`;
        if (takes === "nothing") return flag;
        return takes === "a value" ? `${flag} -r` : `${flag} -x -a '${takes.join(" ")}'`;
      }),
    ];
  });
  return `# Completion of roster for fish
function __roster_at
    set -l path roster
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" ${quoted(places).join(" ")}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function quoted(places: readonly Place[]): readonly string[] {
  return places.filter(({ path }) => path !== "roster").map(({ path }) => `"${path}"`);
}
