// The notices of everything that stands in dist/ and was written by others: their licences ask for them wherever it goes.
import { readdir, readFile } from "node:fs/promises";

const head = `roster contains what others have written. Each part stands here with its licence.
`;

/** Packages whose archive has no text of its licence. */
const withoutText = {
  "yoga-layout": { MIT: "Copyright (c) Meta Platforms, Inc. and affiliates." },
};

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** One text about every package of which a bundle holds anything. A package without a licence that is known fails the build. */
export async function thirdPartyNotices(directories) {
  const notices = await Promise.all(directories.map(noticeOf));
  return [head, ...notices.sort()].join(`\n${"-".repeat(80)}\n\n`);
}

async function noticeOf(directory) {
  const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, "utf8"));
  const texts = await textsIn(directory);
  const text = texts ?? (await licenceInReadme(directory)) ?? knownText(name, license);
  if (text === undefined)
    throw new Error(`${name} ${version} has no text of its licence (${license}): add it to .build/notices.mjs.`);
  return `${name} ${version} (${license})\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

async function textsIn(directory) {
  const names = (await readdir(directory)).filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(`${directory}/${name}`, "utf8")));
  return texts.length === 0 ? undefined : texts.map((text) => text.trim()).join("\n\n");
}

async function licenceInReadme(directory) {
  const readme = await readFile(`${directory}/README.md`, "utf8").catch(() => "");
  const text = /^#+ licen[cs]e\s*\n([\s\S]*)/im.exec(readme)?.[1];
  return text?.includes("Permission is hereby granted") ? text : undefined;
}

function knownText(name, license) {
  const copyright = withoutText[name]?.[license];
  return copyright === undefined ? undefined : `${copyright}\n\n${mit}`;
}
