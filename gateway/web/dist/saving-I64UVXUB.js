import{a,b}from"./chunk-4RKBZM34.js";import"./chunk-34HY765P.js";export{a as save,b as saveFrom};
