"use strict";
// Everything works without this file; with it, answers come while one types, and a sync is seen to move.

const WAIT_MS = 120;
const SETTLE_MS = 500;
const POLL_MS = 1000;

function place(target, html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const open = new Set([...target.querySelectorAll("details[open]")].map((one) => one.dataset.key));
  const at = [...target.querySelectorAll(".hit")].findIndex((hit) => hit.contains(document.activeElement));
  target.replaceChildren(...parsed.body.childNodes);
  if (at >= 0) target.querySelectorAll(".hit")[at]?.focus(); // whoever reads a hit stays at its place
  for (const one of target.querySelectorAll("details[data-key]")) one.open = open.has(one.dataset.key);
  localTimes(target);
  later(target);
}

// What takes a while to find out comes after the page, in place of the link that asks for it.
function later(root) {
  for (const part of root.querySelectorAll("[data-later]")) {
    const address = part.dataset.later;
    delete part.dataset.later;
    load(address, part).catch(() => {});
  }
}

async function load(address, target, signal) {
  const answer = await fetch(address, { signal, credentials: "same-origin", headers: { accept: "text/html" } });
  if (answer.status !== 401) place(target, await answer.text());
}

function live(form) {
  const target = document.getElementById(form.dataset.into);
  let running = null;
  let timer = 0;
  let settling = 0;
  const update = async (typing) => {
    clearTimeout(settling);
    running?.abort();
    running = new AbortController();
    const sent = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...sent]) if (!value) sent.delete(name);
    target.setAttribute("aria-busy", "true");
    try {
      await load(`${form.dataset.live}?${sent}${typing ? "&typing=1" : ""}`, target, running.signal);
      target.setAttribute("aria-busy", "false");
      history.replaceState(null, "", `${form.getAttribute("action")}?${sent}`);
      if (typing) settling = setTimeout(settle, SETTLE_MS);
    } catch (error) {
      if (error.name !== "AbortError") target.setAttribute("aria-busy", "false");
    }
  };
  // What is answered while somebody types is not held against the tree; what stands when they pause is.
  const settle = () => target.contains(document.activeElement) || update(false);
  const soon = (event) => {
    if (event.isComposing) return; // a word that an input method is still at is no question yet
    clearTimeout(timer);
    const typing = event.type === "input";
    timer = setTimeout(update, typing ? WAIT_MS : 0, typing);
  };
  form.addEventListener("input", soon);
  form.addEventListener("compositionend", soon);
  form.addEventListener("change", soon);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    update(false);
  });
}

function poll(part) {
  const again = async () => {
    const busy = part.querySelector("[data-state=running]");
    const typing = part.contains(document.activeElement) && document.activeElement !== document.body;
    if (!document.hidden && (busy || part.dataset.always) && !typing) {
      try {
        await load(part.dataset.poll, part);
      } catch {
        part.dataset.lost = "true";
      }
    }
    setTimeout(again, POLL_MS);
  };
  setTimeout(again, POLL_MS);
}

function localTimes(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(one.getAttribute("datetime"));
    if (!Number.isNaN(moment.getTime())) {
      one.title = one.getAttribute("datetime");
      one.textContent = moment.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    }
  }
}

function move(step) {
  const hits = [...document.querySelectorAll(".hit")];
  const at = hits.findIndex((hit) => hit.contains(document.activeElement));
  hits[Math.min(hits.length - 1, Math.max(0, at + step))]?.focus();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.dataset.told = document.body.dataset.copied;
  setTimeout(() => delete button.dataset.told, 1500);
});

document.addEventListener("submit", (event) => {
  const asked = event.submitter?.dataset.confirm;
  if (asked && !window.confirm(asked)) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const inField = event.target.matches("input, textarea, select");
  if (event.key === "ArrowDown" && event.target.matches("input[type=search]")) {
    event.preventDefault();
    move(1);
  }
  if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("input[type=search], main input[type=text], main textarea")?.focus();
  } else if (event.key === "j" || event.key === "k") {
    move(event.key === "j" ? 1 : -1);
  } else if (event.key === "Enter" && event.target.matches(".hit")) {
    event.target.querySelector("a")?.click();
  }
});

for (const form of document.querySelectorAll("form[data-live]")) live(form);
for (const part of document.querySelectorAll("[data-poll]")) poll(part);
localTimes(document);
later(document);
