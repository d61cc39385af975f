import{a,b}from"./chunk-KUF6ZHFB.js";import"./chunk-OQ4UEFJX.js";export{a as save,b as saveFrom};
