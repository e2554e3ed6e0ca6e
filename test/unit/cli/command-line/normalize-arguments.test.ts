import { describe, expect, test } from "vitest";
import { normalizeArguments } from "../../../../src/cli/command-line/normalize-arguments.ts";
import { commandTree } from "../../../support/command-tree.ts";

const { program } = commandTree();

describe("--rehearse", () => {
  test.each([
    ["plan --rehearse roster.yaml", "plan --rehearse= roster.yaml"],
    ["plan --rehearse", "plan --rehearse="],
    ["plan --rehearse=80ms roster.yaml", "plan --rehearse=80ms roster.yaml"],
    ["plan --rehearse 80ms roster.yaml", "plan --rehearse=80ms roster.yaml"],
    ["plan --title --rehearse", "plan --title --rehearse"],
    ["plan -- --rehearse", "plan -- --rehearse"],
  ])("%s is parsed as %s", (typed, parsed) => {
    expect(normalizeArguments(typed.split(" "), program)).toEqual(parsed.split(" "));
  });
});
