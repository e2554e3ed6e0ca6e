import { describe, expect, test } from "vitest";
import { encodeLock, holderShown } from "../../../../src/state/http/lock.ts";

const ours = {
  ID: "ours",
  Operation: "apply",
  Info: "roster, run 1, lock ours",
  Who: "ada@build-7",
  Version: "1.2.3",
  Created: "2026-11-20T09:00:00.000Z",
  Path: "",
};

describe("a lock's document", () => {
  test("is written with the fields that Terraform writes, in its order", () => {
    expect(encodeLock(ours)).toBe(
      '{"ID":"ours","Operation":"apply","Info":"roster, run 1, lock ours","Who":"ada@build-7","Version":"1.2.3","Created":"2026-11-20T09:00:00.000Z","Path":""}',
    );
  });

  test("tells of Terraform's own holder", () => {
    const theirs = {
      ...ours,
      ID: "57b0",
      Operation: "OperationTypeApply",
      Info: "",
      Created: "2026-11-20T08:00:00.123456789Z",
    };
    expect(holderShown(JSON.stringify(theirs), ours)).toEqual({
      id: "57b0",
      who: "ada@build-7",
      operation: "OperationTypeApply",
      since: "2026-11-20T08:00:00.123Z",
    });
  });

  test("does not tell our own operation of somebody else, where the server repeats what it was asked with", () => {
    expect(holderShown(JSON.stringify({ ...ours, ID: "57b0", Who: "bo" }), ours)).toEqual({
      id: "57b0",
      who: "bo",
      since: "2026-11-20T09:00:00.000Z",
    });
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["no object", '"57b0"'],
    ["no ID", '{"Who":"bo"}'],
    ["an ID that is no text", '{"ID":7}'],
    ["an ID that cannot be repeated on a command line", '{"ID":"a b"}'],
    ["an ID without end", JSON.stringify({ ID: "x".repeat(300) })],
    ["an inherited ID", '{"__proto__":{"ID":"57b0"}}'],
  ])("names nobody where there is %s", (_, text) => {
    expect(holderShown(text, ours)).toBeUndefined();
  });
});
