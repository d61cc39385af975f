import{a,b}from"./chunk-EQZGGCTD.js";import"./chunk-ZTQKMCSJ.js";export{a as save,b as saveFrom};
