# The program with all that it looks for at run time, its manual pages and completions, documents and the licence.
install(TARGETS rfbench_cli RUNTIME DESTINATION ${rfbench_program_folder} COMPONENT program)
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/rfbench COMPONENT program
        FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY framework/drawing DESTINATION ${CMAKE_INSTALL_DATADIR}/rfbench/framework COMPONENT program USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
install(FILES data/manifest.yaml data/claims.yaml data/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/rfbench/data COMPONENT program)
install(DIRECTORY results/reference DESTINATION ${CMAKE_INSTALL_DATADIR}/rfbench/results COMPONENT program)
# With all that their pages link to.
install(FILES README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program PATTERN site EXCLUDE)
install(FILES data/README.md data/manifest.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/data COMPONENT program)
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # a package of Debian's has its own copyright file
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()

# Debian's packages have zsh's completions in vendor-completions; site-functions is for what is installed by hand.
set(RFBENCH_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where completions for zsh go")
install(CODE "set(rfbench_program [[$<TARGET_FILE:rfbench_cli>]])
set(rfbench_source_folder [[${CMAKE_CURRENT_SOURCE_DIR}]])
set(rfbench_version ${PROJECT_VERSION})
set(rfbench_man_folder [[${CMAKE_INSTALL_MANDIR}/man1]])
set(rfbench_bash_folder [[${CMAKE_INSTALL_DATADIR}/bash-completion/completions]])
set(rfbench_zsh_folder [[${RFBENCH_ZSH_COMPLETIONS}]])" COMPONENT program)
install(SCRIPT cmake/install_pages.cmake COMPONENT program)
