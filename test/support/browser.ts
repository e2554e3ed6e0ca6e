import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const named = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The browser's program; undefined where it is not installed, which is said. */
export const chromiumPath: string | undefined = existsSync(named) ? named : undefined;

if (chromiumPath === undefined)
  console.warn(`SKIPPED: there is no ${named}. Install Debian's chromium, or set CHROMIUM to a browser's program.`);

export function openBrowser(executablePath: string): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", ...quiet],
  });
}

export async function openFile(
  browser: Browser,
  file: string,
  options: NonNullable<Parameters<Browser["newPage"]>[0]> = {},
) {
  const page = await browser.newPage(options);
  const url = `file://${file}`;
  /** Requests but for the file itself, errors, refusals of the policy, and dialogs that a script opened. */
  const deeds: string[] = [];
  page.on("request", (request) => {
    if (request.url() !== url.replace(/#.*/u, "") && !request.url().startsWith("data:"))
      deeds.push(`request ${request.url()}`);
  });
  page.on("pageerror", ({ message }) => deeds.push(`error ${message}`));
  page.on("console", (message) => deeds.push(`console ${message.text()}`));
  page.on("dialog", (dialog) => {
    deeds.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, deeds };
}
