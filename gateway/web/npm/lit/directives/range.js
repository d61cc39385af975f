export*from"lit-html/directives/range.js";
//# sourceMappingURL=range.js.map
