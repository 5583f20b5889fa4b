import { defineConfig } from "vitepress";

export default defineConfig({
  title: "Pages",
  themeConfig: { nav: [{ text: "Guide", link: "/guide" }], sidebar: [] },
});
