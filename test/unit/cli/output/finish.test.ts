import { expect, test } from "vitest";
import type { FormatName } from "../../../../src/report/formats.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside, insideHost } from "../../../support/inside.ts";

const formats: readonly FormatName[] = ["text", "json", "ndjson", "github", "gitlab", "sarif", "markdown"];

test.each(formats)("what is wrong looks as standard error does, whatever the %s looks like", async (format) => {
  const options = { cwd: emptyDirectory() };
  const host = insideHost(options);
  const looks = { hasColours: true, isTerminal: true, columns: 40 };
  const command = ["validate", "not-here.yaml", "--format", format];
  const run = await inside(command, options, { ...host, stderr: { ...host.stderr, ...looks } });
  expect(run.stderr).toBe(`\
\u{1B}[31merror[unreadable-roster]\u{1B}[39m: There is no file or directory not-here.yaml.
  hint: Name the roster's files or
  directories, or set \`roster:\`.
\u{1B}[1m1 error.\u{1B}[22m \`roster explain unreadable-roster\` says more.
`);
  expect(run.stdout).not.toContain("\u{1B}");
});
