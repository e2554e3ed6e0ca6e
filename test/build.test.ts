import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

interface OutputFile {
  readonly path: string;
  readonly text: string;
}

const shapes: { readonly withSharedShapes: (files: readonly OutputFile[]) => readonly OutputFile[] } = await import(
  new URL("../.build/shared-shapes.mjs", import.meta.url).href
);

function built(code: string): string {
  const [file] = shapes.withSharedShapes([{ path: "dist/chunk.mjs", text: code }]);
  return file?.text ?? "";
}

test.each([
  ["({...a,b:1})", "({...null,...a,b:1})"],
  ["({...a,...b})", "({...null,...a,...b})"],
  ["f({...a,b:{...c,d:2}})", "f({...null,...a,b:{...null,...c,d:2}})"],
  ["({...a})", "({...a})"],
  ["({b:1,...a})", "({b:1,...a})"],
  ["const{...rest}=a", "const{...rest}=a"],
  ["[...a,1]", "[...a,1]"],
  ['"{...a,b}"', '"{...a,b}"'],
])("the build makes of %s: %s", (code, expected) => {
  expect(built(code)).toBe(expected);
});

test("what the build makes of a spread has the same fields in the same order, and one hidden class", () => {
  const make = 'const make=i=>({...{a:1,["__proto__"]:i},b:i,a:3})';
  const code = `${built(make)};for(let i=0;i<99;i++)make(i);
    console.log(JSON.stringify(make(7)),%HaveSameMap(make(1),make(2)))`;
  const printed = execFileSync(process.execPath, ["--allow-natives-syntax", "-e", code], { encoding: "utf8" });
  expect(printed).toBe('{"a":3,"__proto__":7,"b":7} true\n');
});
