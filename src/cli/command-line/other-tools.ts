/** What the commands and flags of other tools are called here, by what a command line has in their place. */
const counterparts: ReadonlyMap<string, string> = new Map([
  ["-C", "Write it before the command: `roster -C DIR plan`."],
  ["destroy", "roster deletes no user and no team. Move people to `leavers`; `roster apply` then removes their roles."],
  ["diff", "Run `roster plan`. It shows what `roster apply` would change."],
  ["dump", "Run `roster import DIR`. It writes your current users and teams as roster files."],
  ["status", "Run `roster drift`. It shows how the service differs from the roster."],
  ["sync", "Run `roster apply`. It shows the plan, and asks before it changes anything."],
  ["--dry-run", "Run `roster plan`. It shows all changes, and makes none."],
  ["state list", "Run `roster state show`. It lists users, teams, members and keys."],
]);

export function counterpartHint(message: string, argv: readonly string[]): string | undefined {
  const [, refused = ""] = /^unknown (?:command|option) '([^'=]+)/u.exec(message) ?? [];
  const within = `${argv[argv.indexOf(refused) - 1]} ${refused}`;
  const known = /^(?:-C|--chdir$)/u.test(refused) ? "-C" : refused;
  return formatHint(message, argv) ?? counterparts.get(within) ?? counterparts.get(known);
}

/** `--output json`, `-o json` and `--json` are `--format`. */
function formatHint(message: string, argv: readonly string[]): string | undefined {
  const [, flag = "", attached] = /unknown option '(--output|--json|-o)(?:=?([^']*))'/u.exec(message) ?? [];
  if (flag === "") return undefined;
  const next = argv[argv.indexOf(flag) + 1] ?? "";
  const said = flag === "--json" ? "json" : attached || next;
  return `Did you mean --format ${/^[a-z]+(?:-[a-z]+)*$/u.test(said) ? said : "json"}?`;
}
